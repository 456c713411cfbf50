// How settings were chosen: fits variants of the method to part of an image set's training rows and prints
// how honest each is on the rest of them. Test rows are never read. The VAE seeds are not those of
// docs/results.md.
//
//   held_out DATA SET PROTOCOL REPEATS CACHE NETWORK VARIANT...
//   held_out data fashion-mnist strict-mar 20 cache "vae-epochs=20" "" "components=5" "components=10;draws=1"
//
// NETWORK and each VARIANT are options of `lacuna fit`, written name=value, with semicolons between them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "data/array.hpp"
#include "experiments/missingness.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/evaluation/reliability.hpp"
#include "lacuna/features/fit_features.hpp"
#include "lacuna/pipeline/fit.hpp"
#include "model_io/archive_file.hpp"

namespace {

using namespace lacuna;

constexpr std::array<Index, 3> vae_seeds{10, 11, 12};
constexpr Index held_out_every = 6; // 10,000 of 60,000 rows

/// Options as `lacuna fit` has them: "components=10;vae-hidden=64,32".
void apply(const std::string& settings, FitRequest& request) {
  const OptionTable<FitRequest> all = fit_options();
  std::vector<GivenOption> given;
  std::istringstream items(settings);
  for (std::string item; std::getline(items, item, ';');) {
    const std::size_t end = item.find('=');
    if (end == std::string::npos)
      throw Error(ErrorKind::usage, "'" + item + "': expected name=value, an option of lacuna fit");
    GivenOption& option = given.emplace_back(GivenOption{item.substr(0, end), {}});
    std::ranges::replace(option.name, '-', '_');
    const auto known = std::ranges::find(all, option.name, &OptionInfo::name);
    const bool is_list = known != all.end() && known->is_list();
    std::istringstream values(item.substr(end + 1));
    for (std::string value; std::getline(values, value, is_list ? ',' : '\0');) option.texts.push_back(value);
  }
  set_options(request, given);
}

/// The features of all training images, as one VAE makes them; trained once and kept in `cache`.
Matrix features_of(const std::string& images, const FeatureOptions& options, Index seed,
                   const std::string& cache) {
  const std::string path = cache + "-" + std::to_string(seed) + ".safetensors";
  if (std::filesystem::exists(path)) {
    const Archive archive = read_archive(path);
    const Tensor& tensor = archive.tensor("train");
    return {tensor.shape.at(0), tensor.shape.at(1), tensor.values};
  }
  const Matrix rows = read_array(images);
  const FeatureChain chain =
      fit_features(options, {.rows = rows.view(), .seed = static_cast<std::uint64_t>(seed)});
  Archive archive;
  archive.put("train", chain.apply(rows.view(), {.threads = 0}));
  write_archive(archive, path, true);
  return features_of(images, options, seed, cache);
}

/// One VAE's rows, split into those to learn from and those to judge by.
struct Split {
  Dataset train;
  Dataset held_out;
  std::vector<char> train_is_rare;
  std::vector<char> held_out_is_rare;
};

Split split(const Matrix& features, const Matrix& labels, const MissingnessOptions& missingness) {
  Split result;
  std::array<std::vector<double>, 2> values;
  for (Index i = 0; i < features.n_rows(); ++i) {
    const bool is_held_out = i % held_out_every == 0;
    Dataset& part = is_held_out ? result.held_out : result.train;
    part.labels.push_back(static_cast<int>(labels(i, 0)));
    for (Index j = 0; j < features.n_cols(); ++j) values[is_held_out ? 1 : 0].push_back(features(i, j));
  }
  for (Dataset* part : {&result.train, &result.held_out}) {
    part->features = Matrix(static_cast<Index>(part->labels.size()), features.n_cols(),
                            values[part == &result.train ? 0 : 1]);
    for (int y = 0; y < 10; ++y) part->class_names.push_back(std::to_string(y));
    for (Index j = 0; j < features.n_cols(); ++j) part->feature_names.push_back("z" + std::to_string(j + 1));
  }
  const auto region = [&](const Dataset& part) {
    std::vector<char> is_rare;
    for (const double share :
         rare_share(result.train.features.view(), result.train.labels, part.features.view(), missingness))
      is_rare.push_back(is_rare_share(share) ? 1 : 0);
    return is_rare;
  };
  result.train_is_rare = region(result.train);
  result.held_out_is_rare = region(result.held_out);
  return result;
}

struct Score {
  Metrics all;
  Metrics rare;
  Metrics rest;
};

Score run(const Split& data, MissingnessOptions missingness, LearningOptions options, Index repeat) {
  missingness.seed = static_cast<std::uint64_t>(1000 + repeat);
  options.seed = static_cast<std::uint64_t>(repeat);
  options.threads = 1;
  Dataset train = data.train;
  const std::vector<Index> drawn = draw_labeled(train.labels, data.train_is_rare, missingness);
  train.weights.assign(drawn.size(), 1.0);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i] == 0) train.labels[i] = missing_label;
    if (drawn[i] > 1) train.weights[i] = static_cast<double>(drawn[i]);
  }
  const FitResult fit = fit_classifier(train, options);
  const auto scores = fit.classifier.score(data.held_out.features.view(), 1);
  ReliabilityAccumulator all;
  ReliabilityAccumulator rare;
  ReliabilityAccumulator rest;
  for (Index i = 0; i < data.held_out.n_rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::span<const double> posterior(scores.posterior.row(i),
                                            static_cast<std::size_t>(scores.posterior.n_cols()));
    for (ReliabilityAccumulator* sums : {&all, data.held_out_is_rare[at] != 0 ? &rare : &rest})
      sums->add(data.held_out.labels[at], scores.prediction[at], scores.error_probability[at], posterior);
  }
  return {all.metrics(), rare.metrics(), rest.metrics()};
}

void print(const std::string& variant, const std::vector<Score>& scores) {
  const auto show = [&](const char* name, auto value) {
    double sum = 0.0;
    double squares = 0.0;
    for (const Score& score : scores) {
      sum += value(score);
      squares += value(score) * value(score);
    }
    const double n = static_cast<double>(scores.size());
    std::printf("  %s %.4f ± %.4f", name, sum / n, std::sqrt(std::max(0.0, squares / n - sum / n * sum / n)));
  };
  std::printf("%s:\n", variant.empty() ? "(defaults)" : variant.c_str());
  show("error_rate", [](const Score& s) { return s.all.error_rate; });
  show("ece", [](const Score& s) { return s.all.ece; });
  show("brier_error", [](const Score& s) { return s.all.brier_error; });
  show("nll", [](const Score& s) { return s.all.nll; });
  std::printf("\n");
  show("rare: overconfidence", [](const Score& s) { return s.rare.overconfidence; });
  show("error_rate", [](const Score& s) { return s.rare.error_rate; });
  show("rest: error_rate", [](const Score& s) { return s.rest.error_rate; });
  show("ece", [](const Score& s) { return s.rest.ece; });
  std::printf("\n");
  std::fflush(stdout);
}

void study(const std::vector<std::string>& arguments) {
  const std::string folder = arguments[0] + "/" + arguments[1];
  const bool is_fashion = arguments[1] == "fashion-mnist";
  MissingnessOptions missingness;
  const std::optional<LabelProtocol> protocol = find_choice<LabelProtocol>(arguments[2]);
  if (!protocol) throw Error(ErrorKind::usage, "'" + arguments[2] + "' is no protocol");
  missingness.protocol = *protocol;
  missingness.rare_classes = is_fashion ? std::vector<int>{0, 1} : std::vector<int>{0, 1, 7};
  const Index n_repeats = std::atol(arguments[3].c_str());

  FitRequest network;
  network.vae.n_latent = is_fashion ? 5 : 2;
  network.features = {{.kind = "vae"}};
  apply(arguments[5], network);
  std::filesystem::create_directories(arguments[4]);
  const std::string cache = arguments[4] + "/" + arguments[1] + "-" + arguments[5];
  const Matrix labels = read_array(folder + "/train-labels-idx1-ubyte");
  std::vector<Split> splits;
  for (const Index seed : vae_seeds)
    splits.push_back(
        split(features_of(folder + "/train-images-idx3-ubyte", network, seed, cache), labels, missingness));

  std::printf("%s, %s, network %s\n", arguments[1].c_str(), arguments[2].c_str(), arguments[5].c_str());
  for (std::size_t v = 6; v < arguments.size(); ++v) {
    FitRequest variant;
    apply(arguments[v], variant);
    std::vector<Score> scores(splits.size() * static_cast<std::size_t>(n_repeats));
    parallel_for(static_cast<Index>(scores.size()), 0, [&](Index r) {
      scores[static_cast<std::size_t>(r)] =
          run(splits[static_cast<std::size_t>(r / n_repeats)], missingness, variant, r);
    });
    print(arguments[v], scores);
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 8) {
    std::fprintf(stderr, "usage: %s DATA SET PROTOCOL REPEATS CACHE NETWORK VARIANT...\n", argv[0]);
    return 64;
  }
  try {
    study({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "held_out: %s\n", error.what());
    return 65;
  }
}
