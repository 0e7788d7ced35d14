// SPDX-FileCopyrightText: 2026 The anystream authors
// SPDX-License-Identifier: Apache-2.0
//
// The pipeline of the kernel, and what a call of it needs bound.
#include "kernel.hpp"

#include <array>

#include "add_spirv.hpp"
#include "errors.hpp"

namespace vulkan_example {
namespace {

constexpr std::uint32_t group = 64;  // local_size_x

struct arguments {  // the block `Call` of add.comp
  std::uint32_t count, source_first, target_first, rounds;
  float amount;
};

VkDescriptorSetLayout make_set_layout(VkDevice device) {
  std::array<VkDescriptorSetLayoutBinding, 2> bindings{};
  for (std::uint32_t i = 0; i < bindings.size(); ++i) {
    bindings[i].binding = i;
    bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings[i].descriptorCount = 1;
    bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  wanted.bindingCount = bindings.size();
  wanted.pBindings = bindings.data();
  VkDescriptorSetLayout made = VK_NULL_HANDLE;
  VULKAN(vkCreateDescriptorSetLayout, device, &wanted, nullptr, &made);
  return made;
}

VkPipelineLayout make_layout(VkDevice device, const VkDescriptorSetLayout& set) {
  VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(arguments)};
  VkPipelineLayoutCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  wanted.setLayoutCount = 1;
  wanted.pSetLayouts = &set;
  wanted.pushConstantRangeCount = 1;
  wanted.pPushConstantRanges = &range;
  VkPipelineLayout made = VK_NULL_HANDLE;
  VULKAN(vkCreatePipelineLayout, device, &wanted, nullptr, &made);
  return made;
}

VkPipeline make_pipeline(VkDevice device, VkPipelineLayout layout) {
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = sizeof add_spirv;
  code.pCode = add_spirv;
  VkShaderModule shader = VK_NULL_HANDLE;
  VULKAN(vkCreateShaderModule, device, &code, nullptr, &shader);
  VkComputePipelineCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  wanted.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  wanted.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  wanted.stage.module = shader;
  wanted.stage.pName = "main";
  wanted.layout = layout;
  VkPipeline made = VK_NULL_HANDLE;
  const VkResult result =
      vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &wanted, nullptr, &made);
  vkDestroyShaderModule(device, shader, nullptr);
  check(result, "vkCreateComputePipelines");
  return made;
}

}  // namespace

// A descriptor set, which lives until the work that reads it has run.
struct adder::bound {
  std::shared_ptr<device> place;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  ~bound() { vkDestroyDescriptorPool(place->get(), pool, nullptr); }
};

adder::adder(VkDevice on) : device_(on) {
  set_layout_ = make_set_layout(on);
  layout_ = make_layout(on, set_layout_);
  pipeline_ = make_pipeline(on, layout_);
}

adder::~adder() {
  vkDestroyPipeline(device_, pipeline_, nullptr);
  vkDestroyPipelineLayout(device_, layout_, nullptr);
  vkDestroyDescriptorSetLayout(device_, set_layout_, nullptr);
}

std::shared_ptr<adder::bound> adder::bind(queue& stream, const elements& target,
                                          const elements& source) {
  auto made = std::make_shared<bound>();
  made->place = stream.place();
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
  VkDescriptorPoolCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  wanted.maxSets = 1;
  wanted.poolSizeCount = 1;
  wanted.pPoolSizes = &size;
  VULKAN(vkCreateDescriptorPool, device_, &wanted, nullptr, &made->pool);
  VkDescriptorSetAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocation.descriptorPool = made->pool;
  allocation.descriptorSetCount = 1;
  allocation.pSetLayouts = &set_layout_;
  VULKAN(vkAllocateDescriptorSets, device_, &allocation, &made->set);
  const std::array<VkDescriptorBufferInfo, 2> buffers{
      {{source.memory->on(made->place), 0, VK_WHOLE_SIZE},
       {target.memory->on(made->place), 0, VK_WHOLE_SIZE}}};
  std::array<VkWriteDescriptorSet, 2> writes{};
  for (std::uint32_t i = 0; i < writes.size(); ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = made->set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &buffers[i];
  }
  vkUpdateDescriptorSets(device_, writes.size(), writes.data(), 0, nullptr);
  return made;
}

point adder::run(queue& stream, const elements& target, const elements& source, std::uint32_t count,
                 std::uint32_t rounds, float amount) {
  const std::shared_ptr<bound> to = bind(stream, target, source);
  const arguments call{count, source.first, target.first, rounds, amount};
  const auto record = [&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &to->set, 0,
                            nullptr);
    vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof call, &call);
    vkCmdDispatch(commands, (count + group - 1) / group, 1, 1);
  };
  return stream.submit(record, {to, target.memory, source.memory});
}

}  // namespace vulkan_example
