#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

#include "relu.h"

__global__ void relu_kernel(float* out, const float* input, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < n) {
    out[i] = input[i] > 0.0f ? input[i] : 0.0f;
  }
}

void relu_cuda(torch::Tensor& out, const torch::Tensor& input) {
  TORCH_CHECK(input.scalar_type() == torch::kFloat, "relu wants float32");
  const at::cuda::OptionalCUDAGuard guard(input.device());
  const int64_t n = input.numel();
  const int threads = 256;
  const int64_t blocks = (n + threads - 1) / threads;
  relu_kernel<<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
      out.data_ptr<float>(), input.data_ptr<float>(), n);
}
