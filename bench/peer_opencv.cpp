// OpenCV beside bench/gmm_iteration.cpp: EM iterations of a Gaussian mixture with full covariances, 100,000 x
// 32 rows, 16 components. The fits of 1 and of 2 iterations differ by one.

#include <vector>

#include <benchmark/benchmark.h>
#include <opencv2/core.hpp>
#include <opencv2/ml.hpp>

namespace {

void opencv_gmm(benchmark::State& state) {
  cv::theRNG().state = 1;
  cv::Mat rows(100000, 32, CV_64F);
  cv::Mat means(16, 32, CV_64F);
  cv::randn(rows, 0.0, 1.0);
  cv::randn(means, 0.0, 1.0);
  const std::vector<cv::Mat> covariances(16, cv::Mat::eye(32, 32, CV_64F));
  for (auto _ : state) {
    const cv::Ptr<cv::ml::EM> mixture = cv::ml::EM::create();
    mixture->setClustersNumber(16);
    mixture->setCovarianceMatrixType(cv::ml::EM::COV_MAT_GENERIC);
    mixture->setTermCriteria({cv::TermCriteria::COUNT, static_cast<int>(state.range(0)), 0.0});
    mixture->trainE(rows, means, covariances);
    benchmark::DoNotOptimize(mixture->getMeans().data);
  }
}
BENCHMARK(opencv_gmm)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
