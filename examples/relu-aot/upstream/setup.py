from setuptools import find_packages, setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="relu_fast",
    version="0.3.0",
    packages=find_packages(),
    ext_modules=[
        CUDAExtension(
            "relu_fast._C",
            ["csrc/pybind.cpp", "csrc/relu_cpu.cpp", "csrc/relu_cuda.cu"],
            include_dirs=["csrc"],
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
