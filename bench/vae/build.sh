#!/usr/bin/env bash
# Builds the benchmark and the part of lacuna it measures against the PyTorch of PYTHON (default python3), or against
# the libtorch in TORCH_ROOT. Usage: build.sh FOLDER        (leaves epoch and liblacuna_torch.so there)
set -euo pipefail
to=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$to"
torch=${TORCH_ROOT:-$("${PYTHON:-python3}" -c 'import os, torch; print(os.path.dirname(torch.__file__))')}
flags=(-std=c++20 -O3 -fPIC -fopenmp-simd -fno-math-errno -fno-trapping-math "-I$root/include" "-I$root/src")
kernel_flags=(-O3 -ffp-contract=fast -Wno-psabi)

build_kernels() {
  g++ "${flags[@]}" "${kernel_flags[@]}" -c "$root/src/features/dense_impl.cpp" -o "$to/dense_plain.o"
  g++ "${flags[@]}" "${kernel_flags[@]}" -mavx2 -mfma -DLACUNA_DENSE_SET=dense_avx2 -DLACUNA_KERNEL_BYTES=32 \
    -c "$root/src/features/dense_impl.cpp" -o "$to/dense_avx2.o"
  g++ "${flags[@]}" "${kernel_flags[@]}" -mavx512f -mavx512dq -mprefer-vector-width=512 \
    -DLACUNA_DENSE_SET=dense_avx512 -DLACUNA_KERNEL_BYTES=64 \
    -c "$root/src/features/dense_impl.cpp" -o "$to/dense_avx512.o"
}
build_kernels
g++ "${flags[@]}" -DLACUNA_X86_KERNELS "$root/bench/vae/epoch.cpp" "$root/src/features/vae_layout.cpp" \
  "$root/src/features/dense_dispatch.cpp" "$root/src/core/random.cpp" "$to"/dense_*.o -ldl -o "$to/epoch"

libraries=(-ltorch -ltorch_cpu -lc10)
if [[ -e $torch/lib/libtorch_cuda.so ]]; then
  cuda=${CUDA_HOME:-/usr/local/cuda}
  flags+=(-DLACUNA_TORCH_CUDA "-isystem$cuda/include")
  libraries+=(-Wl,--no-as-needed -ltorch_cuda -lc10_cuda)
fi
g++ "${flags[@]}" -shared -fvisibility=hidden "-isystem$torch/include" \
  "-isystem$torch/include/torch/csrc/api/include" "$root"/src/features/torch/*.cpp "-L$torch/lib" \
  "-Wl,-rpath,$torch/lib" "${libraries[@]}" -o "$to/liblacuna_torch.so"
