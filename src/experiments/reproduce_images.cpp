#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <zlib.h>

#include "core/torch_library.hpp"
#include "data/array.hpp"
#include "experiments/reproduce_setup.hpp"
#include "experiments/reproduce_trial.hpp"
#include "experiments/toys.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/features/fit_features.hpp"
#include "model_io/archive_file.hpp"

namespace lacuna {

namespace {

constexpr int max_class = 1000;

const std::array<std::string, 4> file_names{"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                            "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

std::string plain_path(const ReproduceRequest& request, const std::string& name) {
  return (std::filesystem::path(request.data) / request.experiment / name).string();
}

/// The path of an image set's file, which may be packed; nothing where it is not.
std::optional<std::string> find_file(const ReproduceRequest& request, const std::string& name) {
  const std::string path = plain_path(request, name);
  std::error_code ignored;
  for (const std::string& candidate : {path, path + ".gz"})
    if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
  return std::nullopt;
}

std::string file_path(const ReproduceRequest& request, const std::string& name) {
  if (const std::optional<std::string> found = find_file(request, name)) return *found;
  throw Error(ErrorKind::no_input, "there is no '" + plain_path(request, name) +
                                       "'; fetch the images with scripts/get-data " + request.experiment +
                                       ", or say where they are with " + mention("data"));
}

std::vector<int> read_labels(const std::string& path) {
  const Matrix values = read_array(path);
  if (values.n_cols() != 1)
    throw Error(ErrorKind::data,
                fmt::format("'{}': found {} values per row, expected one label", path, values.n_cols()));
  std::vector<int> labels;
  for (Index i = 0; i < values.n_rows(); ++i) {
    const double value = values(i, 0);
    if (!(value >= 0.0 && value <= max_class) || value != static_cast<double>(static_cast<int>(value)))
      throw Error(ErrorKind::data, fmt::format("'{}', row {}: found {}, expected a class number from 0 to {}",
                                               path, i + 1, value, max_class));
    labels.push_back(static_cast<int>(value));
  }
  return labels;
}

struct Features {
  Matrix train;
  Matrix test;
};

Features fit(const ReproduceRequest& request, Index vae_seed, const std::string& checkpoint,
             Observer& observer) {
  FeatureOptions options;
  options.vae = image_setup(request).vae;
  options.vae.vae_checkpoint = checkpoint;
  options.features = {{.kind = "vae"}};
  check_options(options);   // before the images are read
  uses_gpu(request.device); // throws where one is asked for and none is there
  const std::string test_path = file_path(request, file_names[2]);
  const Matrix train = read_array(file_path(request, file_names[0]), observer);
  const FeatureChain chain = fit_features(options,
                                          {.rows = train.view(),
                                           .seed = static_cast<std::uint64_t>(vae_seed),
                                           .threads = request.threads,
                                           .device = request.device},
                                          observer);
  Features features;
  features.train = chain.apply(train.view(), {.threads = request.threads});
  const Matrix test = read_array(test_path, observer);
  if (test.n_cols() != train.n_cols())
    throw Error(ErrorKind::data, fmt::format("'{}': its images have {} pixels, those of the training set {}",
                                             test_path, test.n_cols(), train.n_cols()));
  features.test = chain.apply(test.view(), {.threads = request.threads});
  return features;
}

/// The record of the experiment says what the folder's features were made with, so seed and file go together.
Features cached_features(const ReproduceRequest& request, Index vae_seed, Observer& observer) {
  const std::filesystem::path cache = std::filesystem::path(request.out) / "cache";
  std::filesystem::create_directories(cache);
  const std::string base = (cache / ("vae" + std::to_string(vae_seed))).string();
  const std::string path = base + ".safetensors";
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    const Archive archive = read_archive(path);
    const auto load = [&](const std::string& name) {
      const Tensor& tensor = archive.tensor(name);
      if (tensor.shape.size() != 2)
        throw Error(ErrorKind::data, "'" + path + "': '" + name + "' is no matrix; remove the file");
      return Matrix(tensor.shape[0], tensor.shape[1], tensor.values);
    };
    return {load("train"), load("test")};
  }
  Features features = fit(request, vae_seed, base + ".checkpoint", observer);
  Archive archive;
  archive.put("train", features.train);
  archive.put("test", features.test);
  write_archive(archive, path, true);
  std::filesystem::remove(base + ".checkpoint", ignored);
  return features;
}

Dataset make_dataset(Matrix features, std::vector<int> labels, const std::vector<std::string>& classes,
                     const std::string& path) {
  if (features.n_rows() != static_cast<Index>(labels.size()))
    throw Error(ErrorKind::data, fmt::format("'{}' holds {} labels, expected {}, one per image", path,
                                             labels.size(), features.n_rows()));
  Dataset data;
  for (Index j = 0; j < features.n_cols(); ++j) data.feature_names.push_back("z" + std::to_string(j + 1));
  data.features = std::move(features);
  data.labels = std::move(labels);
  data.class_names = classes;
  check_dataset(data);
  return data;
}

/// The full data of one VAE, and where the rare region is.
struct ImageData {
  Dataset train;
  Dataset test;
  std::vector<char> train_is_rare;
  std::vector<char> test_is_rare;
  MissingnessOptions missingness;
};

std::vector<char> rare_region(const std::vector<double>& share) {
  std::vector<char> is_rare(share.size());
  std::ranges::transform(share, is_rare.begin(), [](double s) { return is_rare_share(s) ? 1 : 0; });
  return is_rare;
}

Trial draw_trial(const ImageData& data, std::uint64_t seed) {
  MissingnessOptions options = data.missingness;
  options.seed = seed;
  const std::vector<Index> drawn = draw_labeled(data.train.labels, data.train_is_rare, options);
  Trial trial{data.train, data.train.labels, data.test, data.test_is_rare};
  trial.train.weights.assign(drawn.size(), 1.0);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i] == 0) trial.train.labels[i] = missing_label;
    if (drawn[i] > 1) trial.train.weights[i] = static_cast<double>(drawn[i]);
  }
  return trial;
}

} // namespace

std::vector<std::string> reproduce_inputs(const ReproduceRequest& request) {
  std::vector<std::string> paths;
  if (is_toy(request)) return paths;
  for (const std::string& name : file_names)
    if (const std::optional<std::string> found = find_file(request, name)) paths.push_back(*found);
  return paths;
}

std::string image_fingerprint(const ReproduceRequest& request) {
  uLong sum = crc32(0L, Z_NULL, 0);
  std::vector<char> buffer(1 << 16);
  for (const std::string& name : file_names) {
    std::ifstream file(file_path(request, name), std::ios::binary);
    while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0)
      sum = crc32(sum, reinterpret_cast<const Bytef*>(buffer.data()), static_cast<uInt>(file.gcount()));
  }
  return fmt::format("{:08x}", sum);
}

Subject image_subject(const ReproduceRequest& request, Index vae_seed, Observer& observer) {
  const std::string train_path = file_path(request, file_names[1]);
  const std::string test_path = file_path(request, file_names[3]);
  std::vector<int> train_labels = read_labels(train_path);
  std::vector<int> test_labels = read_labels(test_path);
  std::vector<std::string> classes;
  const int n_classes = 1 + std::max(std::ranges::max(train_labels), std::ranges::max(test_labels));
  for (int y = 0; y < n_classes; ++y) classes.push_back(std::to_string(y));

  Features features = cached_features(request, vae_seed, observer);
  const auto data = std::make_shared<ImageData>();
  data->train = make_dataset(std::move(features.train), std::move(train_labels), classes, train_path);
  data->test = make_dataset(std::move(features.test), std::move(test_labels), classes, test_path);
  data->missingness.protocol = request.protocol;
  data->missingness.rare_classes = image_setup(request).rare_classes;
  data->missingness.threads = request.threads;
  const Dataset& train = data->train;
  data->train_is_rare =
      rare_region(rare_share(train.features.view(), train.labels, data->missingness, observer));
  data->test_is_rare = rare_region(rare_share(train.features.view(), train.labels, data->test.features.view(),
                                              data->missingness, observer));
  return {"", vae_seed, [data](std::uint64_t seed) { return draw_trial(*data, seed); }};
}

Subject toy_subject(const std::string& name) {
  return {name, 0, [name](std::uint64_t seed) {
            Toy toy = make_toy(name, seed);
            return Trial{std::move(toy.train), {}, std::move(toy.test), std::move(toy.never_labeled)};
          }};
}

} // namespace lacuna
