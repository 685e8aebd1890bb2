// Fits a line through noisy points by gradient descent on the GPU. Each step copies a new batch
// from pageable memory, computes the gradient with a reduction, and reads the loss back: what a
// profiler of GPU programs should show at a glance.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr int kBatch = 1 << 18, kSteps = 200, kThreads = 256;
constexpr float kRate = 0.1f;

struct Model {
  float slope, offset;
};
struct Gradient {
  float slope, offset, loss;
};

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "trainer: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

__global__ void find_gradient(const float* x, const float* y, int count, const Model* model,
                              Gradient* gradient) {
  __shared__ Gradient sums[kThreads];
  Gradient own{};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const float error = model->slope * x[i] + model->offset - y[i];
    own.slope += error * x[i];
    own.offset += error;
    own.loss += error * error;
  }
  sums[threadIdx.x] = own;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    sums[threadIdx.x].slope += sums[threadIdx.x + half].slope;
    sums[threadIdx.x].offset += sums[threadIdx.x + half].offset;
    sums[threadIdx.x].loss += sums[threadIdx.x + half].loss;
  }
  if (threadIdx.x != 0) return;
  atomicAdd(&gradient->slope, sums[0].slope / count);
  atomicAdd(&gradient->offset, sums[0].offset / count);
  atomicAdd(&gradient->loss, sums[0].loss / count);
}

__global__ void descend(Model* model, const Gradient* gradient) {
  model->slope -= kRate * gradient->slope;
  model->offset -= kRate * gradient->offset;
}

template <typename T>
T* on_gpu(int count) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  check(cudaMemset(memory, 0, count * sizeof(T)));
  return memory;
}

}  // namespace

int main() {
  std::mt19937 random(1);
  std::normal_distribution<float> noise;
  std::vector<float> x(kBatch), y(kBatch);
  for (int i = 0; i < kBatch; ++i) {
    x[i] = noise(random);
    y[i] = 3 * x[i] - 2 + 0.1f * noise(random);
  }
  auto *const gpu_x = on_gpu<float>(kBatch), *const gpu_y = on_gpu<float>(kBatch);
  auto* const model = on_gpu<Model>(1);
  auto* const gradient = on_gpu<Gradient>(1);
  Gradient result{};
  for (int step = 0; step < kSteps; ++step) {
    check(cudaMemcpy(gpu_x, x.data(), kBatch * sizeof(float), cudaMemcpyHostToDevice));
    check(cudaMemcpy(gpu_y, y.data(), kBatch * sizeof(float), cudaMemcpyHostToDevice));
    check(cudaMemsetAsync(gradient, 0, sizeof *gradient));
    find_gradient<<<256, kThreads>>>(gpu_x, gpu_y, kBatch, model, gradient);
    descend<<<1, 1>>>(model, gradient);
    check(cudaGetLastError());
    check(cudaMemcpy(&result, gradient, sizeof result, cudaMemcpyDeviceToHost));
  }
  Model fitted{};
  check(cudaMemcpy(&fitted, model, sizeof fitted, cudaMemcpyDeviceToHost));
  std::printf("slope %.3f, offset %.3f, loss %.4f\n", fitted.slope, fitted.offset, result.loss);
  return std::fabs(fitted.slope - 3) < 0.01f && std::fabs(fitted.offset + 2) < 0.01f ? 0 : 1;
}
