#include <torch/library.h>

#include "registration.h"
#include "relu.h"

TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) {
  ops.def("relu(Tensor! out, Tensor input) -> ()");
#if defined(CPU_KERNEL)
  ops.impl("relu", torch::kCPU, &relu_cpu);
#elif defined(CUDA_KERNEL)
  ops.impl("relu", torch::kCUDA, &relu_cuda);
#endif
}

REGISTER_EXTENSION(TORCH_EXTENSION_NAME)
