// One epoch of VAE training (784-512-256-2, batch 256, Adam) by lacuna: prints JSON with the seconds of every
// epoch. Needs a few files of lacuna, for cuda liblacuna_torch.so beside it, and no other library, so that it
// can be built where only a CUDA libtorch is at hand (bench/vae/compare.py builds it).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "features/network/cpu_engine.hpp"
#include "features/vae_plugin.hpp"
#include "lacuna/core/random.hpp"

int main(int argc, char** argv) {
  using namespace lacuna;
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s cpu|cuda ROWS EPOCHS THREADS mlp|conv\n", argv[0]);
    return 64;
  }
  const Index n_rows = std::atol(argv[2]);
  VaeOptions options;
  if (std::string(argv[5]) == "conv") options.vae_architecture = VaeArchitecture::conv;
  VaeTask task;
  task.layout = make_vae_layout(options, 784);
  task.n_training = n_rows;
  task.batch_size = 256;
  task.threads = std::atoi(argv[4]);
  task.between_steps = [] {};
  // A fifth of the pixels is bright, as in MNIST.
  RandomStream stream(1, RandomPurpose::simulation);
  std::vector<float> rows(static_cast<std::size_t>(n_rows * 784));
  for (float& value : rows) value = stream.uniform() < 0.2 ? static_cast<float>(stream.uniform()) : 0.0F;
  task.rows = rows.data();
  std::vector<std::int64_t> order(static_cast<std::size_t>(n_rows));
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<std::int64_t>(i * 7919 % order.size());
  std::vector<float> noise(static_cast<std::size_t>(n_rows * 2));
  for (float& value : noise) value = static_cast<float>(stream.normal());

  const auto engine = std::string(argv[1]) == "cuda" ? vae_plugin().make_engine(task, true)
                                                     : std::make_unique<CpuEngine>(task, dense_kernels());
  const auto n = static_cast<std::size_t>(task.layout.n_parameters);
  engine->set_state(
      {initial_vae_parameters(task.layout, 1), std::vector<float>(n), std::vector<float>(n), 0});
  std::printf("{\"device\": \"%s\", \"rows\": %td, \"seconds\": [", engine->device().c_str(), n_rows);
  double elbo = 0.0;
  for (int epoch = 0; epoch < std::atoi(argv[3]); ++epoch) {
    const auto begin = std::chrono::steady_clock::now();
    elbo = engine->train_epoch(order, noise, 1.0, 1e-3); // reads its result back, so the device is done
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%s%.5f", epoch > 0 ? ", " : "", seconds);
    std::fflush(stdout);
  }
  std::printf("], \"elbo\": %.4f}\n", elbo);
}
