#include <gtest/gtest.h>

#include "base/testing/memory_sink.h"
#include "export/speedscope.h"
#include "export/stacks.h"
#include "trace/testing/tally_runs.h"

namespace laptime {
namespace {

void add_span(Run& run, std::int64_t start, std::int64_t end, std::string_view name,
              SpanKind kind = SpanKind::scope) {
  SpanColumns& spans = run.tracks[0].spans;
  spans.start.push_back(start);
  spans.duration.push_back(end - start);
  spans.name.push_back(run.strings.add(name));
  spans.kind.push_back(kind);
}

TallyRun nested_spans() {
  TallyRun t;
  t.run.tracks[0].name = "main";
  add_span(t.run, 1, 4, "load;x");
  add_span(t.run, 0, 5, "step", SpanKind::step);
  add_span(t.run, 4, 4, "mark");
  add_span(t.run, 4, 9, "load;x");
  add_span(t.run, 0, 10, "epoch\n1");
  add_span(t.run, 10, 12, "save");
  return t;
}

TallyRun functions() {
  TallyRun t;
  const auto main = t.code("dir/a.py", 1, "main"),
             sorted = t.code("~", 0, "<sorted>", kCodeBuiltin);
  t.add(TallyKind::call, main, 0, {1, 100, 60, 1});
  t.add(TallyKind::call, sorted, 0, {2, 40, 40, 2});
  t.add(TallyKind::edge, sorted, main, {2, 40, 40, 2});
  return t;
}

template <typename Export>
std::string text_of(const Run& run, Export write) {
  MemorySink sink;
  const auto done = write(run, sink);
  return done ? std::string(sink.data.begin(), sink.data.end()) : done.error().message;
}
bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Stacks, FoldSpansByTheirParents) {
  EXPECT_EQ(text_of(nested_spans().run, export_stacks),
            "main;save 2\nmain;epoch 1 2\nmain;epoch 1;load:x 8\n");
}

TEST(Stacks, FoldTheCallTree) {
  EXPECT_EQ(text_of(functions().run, export_stacks),
            "main (a.py:1) 60\nmain (a.py:1);<sorted> 40\n");
}

TEST(Speedscope, EventsNestAndAreInOrder) {
  const std::string text = text_of(nested_spans().run, export_speedscope);
  EXPECT_TRUE(holds(
      text, R"("frames":[{"name":"epoch\n1"},{"name":"load;x"},{"name":"mark"},{"name":"save"}])"))
      << text;
  EXPECT_TRUE(holds(
      text, R"("type":"evented","name":"main","unit":"nanoseconds","startValue":0,"endValue":12,)"
            R"("events":[)"))
      << text;
  EXPECT_TRUE(holds(text, R"([{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1},)"
                          R"({"type":"C","frame":1,"at":4},)"))
      << text;
  EXPECT_TRUE(holds(text, R"({"type":"C","frame":0,"at":10},{"type":"O","frame":3,"at":10},)"
                          R"({"type":"C","frame":3,"at":12}])"))
      << text;
}

TEST(Speedscope, SpansThatCrossGetAProfileOfTheirOwn) {
  TallyRun t;
  t.run.tracks[0].name = "main";
  add_span(t.run, 0, 6, "a");
  add_span(t.run, 4, 9, "b");
  const std::string text = text_of(t.run, export_speedscope);
  EXPECT_TRUE(holds(
      text, R"~("name":"main (overlapping 1)","unit":"nanoseconds","startValue":0,"endValue":6,)~"))
      << text;
}

TEST(Speedscope, TheCallTreeIsStacksWithWeights) {
  const std::string text = text_of(functions().run, export_speedscope);
  EXPECT_TRUE(holds(text, R"({"name":"main","file":"dir/a.py","line":1})")) << text;
  EXPECT_TRUE(
      holds(text, R"("startValue":0,"endValue":100,"samples":[[0],[0,1]],"weights":[60,40])"))
      << text;
}

TEST(StackFormats, SayWhenThereIsNothing) {
  TallyRun t;
  t.run.path = "x.lap";
  EXPECT_EQ(text_of(t.run, export_stacks), "x.lap has neither spans nor function calls to export");
  EXPECT_EQ(text_of(t.run, export_speedscope),
            "x.lap has neither spans nor function calls to export");
}

}  // namespace
}  // namespace laptime
