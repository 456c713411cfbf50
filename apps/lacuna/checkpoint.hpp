#pragma once

#include <string>

#include "lacuna/pipeline/fit.hpp"
#include "output.hpp"

namespace lacuna::cli {

/// Where the training of a network is kept while a command runs: it can go on after an interruption, and is
/// taken away when the command has what it wanted. A place that the user named stays.
class Checkpoint {
public:
  /// Sets the place in the request, unless there is one or nothing is trained.
  Checkpoint(FitRequest& request, const std::string& path);
  /// The work is done.
  void remove() const;

private:
  std::string path_; ///< empty: not ours
};

/// Where the VAE of a fit keeps its progress; nowhere when it has none.
NamedFile checkpoint_file(const FitRequest& request);

/// Where it lies beside an output: OUTPUT.checkpoint, or as much of that name as a file can have.
std::string checkpoint_beside(const std::string& output);

} // namespace lacuna::cli
