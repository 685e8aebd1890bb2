#include "mlp.h"

#include <algorithm>
#include <cmath>
#include <laptime/laptime.hpp>
#include <random>

Linear::Linear(std::size_t inputs, std::size_t outputs, std::uint64_t seed)
    : inputs_(inputs),
      outputs_(outputs),
      weights_(inputs * outputs),
      bias_(outputs),
      weight_gradient_(inputs * outputs),
      bias_gradient_(outputs) {
  std::mt19937_64 random(seed);
  const float scale = std::sqrt(6.0f / static_cast<float>(inputs));
  for (float& w : weights_) w = scale * (static_cast<float>(random() >> 40) * 0x1p-23f - 1.0f);
}

void Linear::forward(const std::vector<float>& in, std::vector<float>& out,
                     std::size_t rows) const {
  out.resize(rows * outputs_);
  for (std::size_t r = 0; r < rows; ++r) {
    float* o = out.data() + r * outputs_;
    std::copy(bias_.begin(), bias_.end(), o);
    for (std::size_t i = 0; i < inputs_; ++i) {
      const float x = in[r * inputs_ + i];
      const float* w = weights_.data() + i * outputs_;
      for (std::size_t j = 0; j < outputs_; ++j) o[j] += x * w[j];
    }
  }
}

void Linear::backward(const std::vector<float>& in, const std::vector<float>& out_gradient,
                      std::vector<float>* in_gradient, std::size_t rows) {
  std::fill(weight_gradient_.begin(), weight_gradient_.end(), 0.0f);
  std::fill(bias_gradient_.begin(), bias_gradient_.end(), 0.0f);
  if (in_gradient) in_gradient->assign(rows * inputs_, 0.0f);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* g = out_gradient.data() + r * outputs_;
    for (std::size_t j = 0; j < outputs_; ++j) bias_gradient_[j] += g[j];
    for (std::size_t i = 0; i < inputs_; ++i) {
      const float x = in[r * inputs_ + i];
      float* wg = weight_gradient_.data() + i * outputs_;
      for (std::size_t j = 0; j < outputs_; ++j) wg[j] += x * g[j];
      if (!in_gradient) continue;
      const float* w = weights_.data() + i * outputs_;
      float sum = 0;
      for (std::size_t j = 0; j < outputs_; ++j) sum += w[j] * g[j];
      (*in_gradient)[r * inputs_ + i] = sum;
    }
  }
}

void Linear::update(float learning_rate) {
  for (std::size_t i = 0; i < weights_.size(); ++i)
    weights_[i] -= learning_rate * weight_gradient_[i];
  for (std::size_t j = 0; j < bias_.size(); ++j) bias_[j] -= learning_rate * bias_gradient_[j];
}

Mlp::Mlp(std::size_t hidden) : first_(kPixels, hidden, 1), second_(hidden, kClasses, 2) {}

float Mlp::train(const Batch& batch, float learning_rate) {
  LAPTIME_SCOPE("train");
  forward(batch);
  const float loss = loss_and_gradient(batch);
  backward(batch);
  LAPTIME_SCOPE("update");
  first_.update(learning_rate);
  second_.update(learning_rate);
  return loss;
}

void Mlp::forward(const Batch& batch) {
  LAPTIME_SCOPE("forward");
  first_.forward(batch.pixels, hidden_, batch.size());
  for (float& h : hidden_) h = std::max(h, 0.0f);
  second_.forward(hidden_, logits_, batch.size());
}

float Mlp::loss_and_gradient(const Batch& batch) {
  LAPTIME_SCOPE("loss");
  const auto rows = static_cast<float>(batch.size());
  logits_gradient_.resize(logits_.size());
  float loss = 0;
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const float* logits = logits_.data() + r * kClasses;
    float* gradient = logits_gradient_.data() + r * kClasses;
    const float largest = *std::max_element(logits, logits + kClasses);
    float sum = 0;
    for (std::size_t c = 0; c < kClasses; ++c) sum += gradient[c] = std::exp(logits[c] - largest);
    for (std::size_t c = 0; c < kClasses; ++c) gradient[c] /= sum * rows;
    loss -= logits[batch.labels[r]] - largest - std::log(sum);
    gradient[batch.labels[r]] -= 1.0f / rows;
  }
  return loss / rows;
}

void Mlp::backward(const Batch& batch) {
  LAPTIME_SCOPE("backward");
  second_.backward(hidden_, logits_gradient_, &hidden_gradient_, batch.size());
  for (std::size_t i = 0; i < hidden_.size(); ++i)
    if (hidden_[i] <= 0) hidden_gradient_[i] = 0;
  first_.backward(batch.pixels, hidden_gradient_, nullptr, batch.size());
}

std::size_t Mlp::count_correct(const Batch& batch) {
  forward(batch);
  std::size_t correct = 0;
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const float* logits = logits_.data() + r * kClasses;
    correct += static_cast<std::size_t>(std::max_element(logits, logits + kClasses) - logits) ==
               batch.labels[r];
  }
  return correct;
}
