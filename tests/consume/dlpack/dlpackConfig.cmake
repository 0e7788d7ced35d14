# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
#
# As DLPack's own package: the target that it installs, with the folder of its header.
add_library(dlpack::dlpack INTERFACE IMPORTED)
set_target_properties(dlpack::dlpack PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${DLPACK_FOLDER}")
