# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
"""Captures of streams of cuda-core on the software driver, for scripts beside a Lab."""

CAPTURE = """
    cuda = driver.library
    GLOBAL, THREAD, RELAXED = range(3)

    def native(stream):
        return ctypes.c_void_p(handle_of(stream))
    def begin(stream, mode=GLOBAL):
        assert cuda.cuStreamBeginCapture_v2(native(stream), mode) == 0
    def status(stream):
        found = ctypes.c_int()
        assert cuda.cuStreamIsCapturing(native(stream), ctypes.byref(found)) == 0
        return ("none", "active", "invalidated")[found.value]
    def end(stream):
        graph = ctypes.c_void_p()
        code = cuda.cuStreamEndCapture(native(stream), ctypes.byref(graph))
        return graph if code == 0 else code
    def launch(graph, stream):
        made, flags = ctypes.c_void_p(), ctypes.c_ulonglong()
        assert cuda.cuGraphInstantiateWithFlags(ctypes.byref(made), graph, flags) == 0
        assert cuda.cuGraphLaunch(made, native(stream)) == 0
        driver.settle()
    def join(stream, other):
        '''Have another stream be part of the capture, as libraries fork by an event.'''
        other.wait(stream)

    class Watched:
        '''An array that notes whether it was asked.'''
        def __init__(self, array):
            self.array, self.asked = array, 0
        def __dlpack_device__(self):
            return self.array.__dlpack_device__()
        def __dlpack__(self, **keywords):
            self.asked += 1
            return self.array.__dlpack__(**keywords)

    x = lab.buffer(1)
    producer.sync()
    def refused(function):
        driver.clear()
        try:
            function()
        except anystream.OrderingError as error:
            found = str(error)
            return lab.work() == [], found
        return "not refused", ""
"""
