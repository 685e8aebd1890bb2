#include "advise/evidence/line_calls.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

using Calls = std::vector<std::string_view>;

TEST(LineCalls, NamesAreAsTheyAreWritten) {
  EXPECT_EQ(calls_in("loss = criterion(model(x), y).mean()  # f(x)"),
            (Calls{"criterion", "model", ".mean"}));
  EXPECT_EQ(calls_in("torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)"),
            (Calls{"torch.nn.utils.clip_grad_norm_", "model.parameters"}));
  EXPECT_EQ(calls_in("print('f(x)', \"g(\\\"y\\\")\", if (a))"), (Calls{}));
  EXPECT_EQ(calls_in("def forward(self, x): return self.net(x)"), (Calls{"self.net"}));
  EXPECT_EQ(calls_in("x = 'open"), (Calls{}));
}

TEST(LineCalls, TheSameInEveryCall) {
  for (const char* line : {"images, labels = load_digits()", "table = torch.tensor(read_rows())",
                           "x = data.load_split(\"train\", ROOT, size=28, shuffle=True)"})
    EXPECT_TRUE(calls_the_same(line, {"load_", "read_"})) << line;
  for (const char* line :
       {"x = load_digits(step)", "x = read_rows(paths[i])", "x = load_split(\"train\", size=n)",
        "x = reload_all()", "x = load_digits", "f = open()", "x = load_rows(name_of(\"train\"))"})
    EXPECT_FALSE(calls_the_same(line, {"load_", "read_"})) << line;
}

TEST(LineCalls, LoopsOfTheLineItself) {
  EXPECT_TRUE(has_own_loop("weights = [score(w) for w in words]"));
  EXPECT_TRUE(has_own_loop("total = sum(map(score, words))"));
  EXPECT_FALSE(has_own_loop("loss = model.forward(x)"));
  EXPECT_FALSE(has_own_loop("print('for you')"));
}

TEST(LineCalls, WhatAStepConsistsOf) {
  for (const char* line :
       {"torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)", "nn.utils.clip_grad_norm_(",
        "out = model(images)", "out = self.model(images)", "logits = self.net.encoder(x).mean(1)",
        "log_probs = dist.log_prob(actions)", "action = policy.get_distribution(obs).sample()",
        "loss = criterion(out, y)", "loss = F.cross_entropy(out, y)", "loss.backward()",
        "scaler.scale(loss).backward()", "x = super().forward(x)",
        "loss = loss_fn(model(x), y) / len(batches)",
        "correct = (out.argmax(1) == y).sum().item()"})
    EXPECT_TRUE(calls_framework_only(line)) << line;
  for (const char* line :
       {"weights = [score(w) for w in words]", "tokens = tokenizer(texts)", "rows = parse(text)",
        "total = total + 1", "out = model(prepare(images))", "image = numpy.histogram(x)"})
    EXPECT_FALSE(calls_framework_only(line)) << line;
}

TEST(LineCalls, AnyOfTheseAreWholeNames) {
  EXPECT_TRUE(calls_any("rows = load('x')", {"load"}));
  EXPECT_TRUE(calls_any("rows = np.load('x')", {"open", "load"}));
  EXPECT_FALSE(calls_any("rows = preload('x')", {"load"}));
  EXPECT_FALSE(calls_any("load = rows[1]", {"load"}));
  EXPECT_FALSE(calls_any("loaded('x')", {"load"}));
}

}  // namespace
}  // namespace laptime
