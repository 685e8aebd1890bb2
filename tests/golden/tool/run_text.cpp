#include "run_text.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <sstream>

#include "base/testing/memory_sink.h"
#include "format/frame.h"
#include "format/names.h"
#include "format/part.h"
#include "format/sources/source_text.h"
#include "format/testing/copies.h"
#include "format/writer.h"
#include "statement.h"
#include "trace/run/kind_names.h"

namespace laptime {

namespace {

// A change to the finished bytes: the file after a crash, a disk error, or from a later version.
using Harm = std::function<Status(Bytes&)>;

class RunMaker {
 public:
  Result<Bytes> make(const std::string& text) {
    ASSIGN_OR_RETURN(LapWriter writer, LapWriter::create(sink_));
    writer_ = &writer;
    std::istringstream lines(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) all.push_back(line);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (const Status status = all[i].starts_with("repeat ") ? repeat(all, i) : take(all[i]);
          !status)
        return fail(ErrorKind::usage,
                    "line " + std::to_string(i + 1) + ": " + status.error().message);
    RETURN_IF_ERROR(end_part());
    RETURN_IF_ERROR(writer.finish());
    for (const Harm& harm : harms_) RETURN_IF_ERROR(harm(sink_.data));
    return std::move(sink_.data);
  }

 private:
  using Take = Status (RunMaker::*)(const Statement&);

  // repeat COUNT PERIOD … end: takes the lines in between COUNT times, each time PERIOD later and
  // one step further. Sets `at` to the line `end`.
  Status repeat(const std::vector<std::string>& lines, std::size_t& at) {
    ASSIGN_OR_RETURN(const Statement statement, parse_statement(lines[at]));
    ASSIGN_OR_RETURN(const std::uint32_t count, small(statement, 0));
    ASSIGN_OR_RETURN(const std::int64_t period, statement.time(1));
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(at) + 1,
               last = std::find(first, lines.end(), "end");
    if (last == lines.end()) return fail(ErrorKind::usage, "repeat has no end");
    for (repeated_ = 0; repeated_ < count; ++repeated_, shift_ += period)
      for (auto line = first; line != last; ++line) RETURN_IF_ERROR(take(*line));
    repeated_ = 0;
    shift_ = 0;
    at = static_cast<std::size_t>(last - lines.begin());
    return {};
  }

  Status take(std::string_view line) {
    static const std::map<std::string, Take> kVerbs{{"process", &RunMaker::take_process},
                                                    {"clock", &RunMaker::take_clock},
                                                    {"thread", &RunMaker::take_thread},
                                                    {"stream", &RunMaker::take_stream},
                                                    {"span", &RunMaker::take_span},
                                                    {"value", &RunMaker::take_value},
                                                    {"code", &RunMaker::take_code},
                                                    {"line", &RunMaker::take_line},
                                                    {"call", &RunMaker::take_call},
                                                    {"edge", &RunMaker::take_edge},
                                                    {"call_site", &RunMaker::take_call_site},
                                                    {"frame", &RunMaker::take_frame},
                                                    {"source", &RunMaker::take_source},
                                                    {"warning", &RunMaker::take_warning},
                                                    {"block", &RunMaker::take_block},
                                                    {"corrupt", &RunMaker::take_corrupt},
                                                    {"cut", &RunMaker::take_cut},
                                                    {"version", &RunMaker::take_version}};
    if (line.find_first_not_of(' ') == std::string_view::npos || line.front() == '#') return {};
    ASSIGN_OR_RETURN(const Statement statement, parse_statement(line));
    const auto verb = kVerbs.find(statement.verb);
    if (verb == kVerbs.end())
      return fail(ErrorKind::usage, "there is no statement '" + statement.verb + "'");
    if (!in_part_ && statement.verb != "process") RETURN_IF_ERROR(take_process({}));
    return (this->*verb->second)(statement);
  }

  // process key=value…: a new process with these properties; `process` alone describes the run.
  Status take_process(const Statement& s) {
    RETURN_IF_ERROR(end_part());
    part_ = writer_->add_part();
    in_part_ = true;
    for (const auto& [key, value] : s.options) add_property(key, value);
    return {};
  }
  // "cuda device 0 KEY" is a property of that device; its compute capability is two numbers.
  void add_property(const std::string& key, const std::string& value) {
    unsigned index = 0, major = 0, minor = 0;
    int at = 0;
    if (std::sscanf(key.c_str(), "cuda device %u %n", &index, &at) != 1 || at == 0) {
      facts_.push_back(PropertyFact{keep(key), property_value(value)});
      return;
    }
    const Device device{DeviceKind::cuda, index};
    const std::string name = key.substr(static_cast<std::size_t>(at));
    if (name == "compute" && std::sscanf(value.c_str(), "%u.%u", &major, &minor) == 2) {
      facts_.push_back(DevicePropertyFact{device, "compute_major", std::int64_t{major}});
      facts_.push_back(DevicePropertyFact{device, "compute_minor", std::int64_t{minor}});
    } else {
      facts_.push_back(DevicePropertyFact{device, keep(name), property_value(value)});
    }
  }
  // Digits are an integer, digits with one point between them a real, all else is a text.
  PropertyValue property_value(const std::string& text) {
    if (const auto integer = parse_number(text)) return *integer;
    double real = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
    const bool digits = text.find_first_not_of("-.0123456789") == std::string::npos;
    if (digits && error == std::errc() && end == text.data() + text.size()) return real;
    return keep(text);
  }
  // The id of a name, with the device that it means.
  std::uint32_t device_id(const std::string& name) {
    const std::uint32_t id = string_id(name);
    unsigned index = 0;
    if (name == kCpuName)
      facts_.push_back(DeviceFact{id, {}});
    else if (std::sscanf(name.c_str(), "cuda:%u", &index) == 1)
      facts_.push_back(DeviceFact{id, {DeviceKind::cuda, index}});
    return id;
  }
  // clock PART_TIME MONOTONIC [REALTIME]
  Status take_clock(const Statement& s) {
    ASSIGN_OR_RETURN(const std::int64_t part, s.time(0));
    ASSIGN_OR_RETURN(const std::int64_t monotonic, s.time(1));
    std::int64_t real = 0;
    if (s.words.size() > 2) {
      ASSIGN_OR_RETURN(real, s.time(2));
    }
    facts_.push_back(ClockFact{part, monotonic, real});
    return {};
  }
  // thread NUMBER [NAME] [os=ID]: other statements may use the name instead of the number
  Status take_thread(const Statement& s) {
    ASSIGN_OR_RETURN(const std::int64_t id, s.number(0));
    const std::string name = s.words.size() > 1 ? s.words[1] : "";
    const auto os = s.options.find("os");
    facts_.push_back(
        TrackFact{static_cast<std::uint32_t>(id), TrackKind::thread,
                  os == s.options.end() ? 0 : std::strtoull(os->second.c_str(), nullptr, 10),
                  name.empty() ? 0 : string_id(name)});
    return {};
  }
  // stream NUMBER DEVICE STREAM: a stream of a GPU, used like a thread
  Status take_stream(const Statement& s) {
    ASSIGN_OR_RETURN(const std::uint32_t id, small(s, 0));
    ASSIGN_OR_RETURN(const std::uint32_t device, small(s, 1));
    ASSIGN_OR_RETURN(const std::uint32_t stream, small(s, 2));
    facts_.push_back(TrackFact{
        id, TrackKind::stream, static_cast<std::uint64_t>(device) << 32 | stream,
        string_id("GPU " + std::to_string(device) + " stream " + std::to_string(stream))});
    return {};
  }
  // span THREAD START DURATION NAME [kind=K] [link=N] [call_site=N] [bytes=N] [KEY=VALUE]…
  Status take_span(const Statement& s) {
    ASSIGN_OR_RETURN(const std::int64_t track, s.number(0));
    ASSIGN_OR_RETURN(const std::int64_t start, s.time(1));
    ASSIGN_OR_RETURN(const std::int64_t duration, s.time(2));
    ASSIGN_OR_RETURN(const std::string name, s.word(3));
    SpanColumns& spans = spans_[static_cast<std::uint32_t>(track)];
    std::int64_t kind = 0, link = 0;
    for (const auto& [key, value] : s.options) {
      if (key == "kind") {
        ASSIGN_OR_RETURN(kind, parse_kind(value));
      } else if (key == "link") {
        ASSIGN_OR_RETURN(link, parse_number(value));
      } else if (key == "launch") {
        ASSIGN_OR_RETURN(const std::int64_t number, parse_number(value));
        link = static_cast<std::int64_t>(LaunchLink::pack(1, static_cast<std::uint32_t>(number)));
      } else if (key == "graph") {
        ASSIGN_OR_RETURN(const std::int64_t number, parse_number(value));
        link = static_cast<std::int64_t>(GraphNodeLink::pack(static_cast<std::uint64_t>(number)));
      } else if (key == "made" || key == "ran") {
        ASSIGN_OR_RETURN(const std::int64_t number, parse_number(value));
        add_arg(
            spans, ArgKey::autograd, ArgType::integer,
            static_cast<std::uint64_t>(LaunchNode::pack(OpLink::pack(0, 1, number), key == "ran")));
      } else if (key == "configuration") {
        ASSIGN_OR_RETURN(const std::uint32_t config, config_id(value));
        add_arg(spans, ArgKey::launch_config, ArgType::launch_config, config);
      } else if (key == "device") {
        add_arg(spans, ArgKey::device, ArgType::string, device_id(value));
      } else if (key == "graph_node") {
        ASSIGN_OR_RETURN(const std::int64_t number, parse_number(value));
        add_arg(spans, ArgKey::graph_node, ArgType::integer,
                GraphNodeLink::pack(static_cast<std::uint64_t>(number)));
      } else {
        RETURN_IF_ERROR(add_option(spans, key, value));
      }
    }
    if (const auto copy = copy_named(name))
      add_arg(spans, ArgKey::copy, ArgType::integer, copy->pack());
    spans.start.push_back(start + shift_);
    spans.duration.push_back(duration);
    const auto span_kind = static_cast<SpanKind>(kind);
    const bool is_memory = span_kind == SpanKind::allocate || span_kind == SpanKind::release;
    spans.name.push_back(is_memory ? device_id(name) : string_id(name));
    spans.kind.push_back(span_kind);
    if (link != 0 && spans.link.empty()) spans.link.resize(spans.size() - 1, 0);
    if (link != 0 || !spans.link.empty()) spans.link.push_back(static_cast<std::uint64_t>(link));
    return {};
  }
  // Adds an argument of the row that is added next.
  static void add_arg(SpanColumns& spans, ArgKey key, ArgType type, std::uint64_t value) {
    spans.args.row.push_back(static_cast<std::uint32_t>(spans.size()));
    spans.args.key.push_back(key);
    spans.args.type.push_back(type);
    spans.args.value.push_back(value);
  }
  static Result<std::int64_t> parse_kind(const std::string& text) {
    if (const auto kind = kind_from_name(text)) return static_cast<std::int64_t>(*kind);
    return parse_number(text);
  }
  // Whole numbers become integers, all else strings. A name that is no well-known key is a string.
  Status add_option(SpanColumns& spans, const std::string& key, const std::string& value) {
    static const std::map<std::string, ArgKey, std::less<>> kKeys{{"call_site", ArgKey::call_site},
                                                                  {"bytes", ArgKey::bytes},
                                                                  {"shapes", ArgKey::shapes},
                                                                  {"types", ArgKey::types},
                                                                  {"flops", ArgKey::flops},
                                                                  {"samples", ArgKey::samples},
                                                                  {"ops", ArgKey::ops}};
    const auto known = kKeys.find(key);
    const bool is_call_site = key == "call_site";
    const auto number = parse_number(value);
    if (is_call_site && !number) return fail(ErrorKind::usage, number.error().message);
    add_arg(spans, known != kKeys.end() ? known->second : named_key(string_id(key)),
            is_call_site ? ArgType::call_site
            : number     ? ArgType::integer
                         : ArgType::string,
            number ? static_cast<std::uint64_t>(*number) : string_id(value));
    return {};
  }
  // GRID;BLOCK;REGISTERS;STATIC;DYNAMIC, with GRID and BLOCK as three numbers separated by commas
  Result<std::uint32_t> config_id(const std::string& text) {
    LaunchConfig c;
    if (std::sscanf(text.c_str(), "%u,%u,%u;%u,%u,%u;%u;%u;%u", &c.grid[0], &c.grid[1], &c.grid[2],
                    &c.block[0], &c.block[1], &c.block[2], &c.registers, &c.static_shared,
                    &c.dynamic_shared) != 9)
      return fail(ErrorKind::usage, "'" + text + "' is no launch config");
    const auto [it, is_new] =
        configs_.try_emplace(c, static_cast<std::uint32_t>(configs_.size() + 1));
    if (is_new) facts_.push_back(LaunchConfigFact{it->second, c});
    return it->second;
  }
  // value THREAD TIME NAME NUMBER
  Status take_value(const Statement& s) {
    ASSIGN_OR_RETURN(const std::int64_t track, s.number(0));
    ASSIGN_OR_RETURN(const std::int64_t time, s.time(1));
    ASSIGN_OR_RETURN(const std::string name, s.word(2));
    ASSIGN_OR_RETURN(const std::string number, s.word(3));
    ValueColumns& values = values_[static_cast<std::uint32_t>(track)];
    values.time.push_back(time);
    values.name.push_back(string_id(name));
    values.value.push_back(std::strtod(number.c_str(), nullptr));
    return {};
  }
  // code NUMBER FILE FIRST_LINE NAME [flags=N]
  Status take_code(const Statement& s) {
    ASSIGN_OR_RETURN(const std::uint32_t id, small(s, 0));
    ASSIGN_OR_RETURN(const std::string file, s.word(1));
    ASSIGN_OR_RETURN(const std::uint32_t line, small(s, 2));
    ASSIGN_OR_RETURN(const std::string name, s.word(3));
    ASSIGN_OR_RETURN(const std::uint32_t flags, option(s, "flags"));
    facts_.push_back(CodeFact{id, string_id(file), string_id(name), line, flags});
    return {};
  }
  // source FILE LINE TEXT: a line of a file with stored text; lines that are not given are empty
  Status take_source(const Statement& s) {
    ASSIGN_OR_RETURN(const std::string file, s.word(0));
    ASSIGN_OR_RETURN(const std::uint32_t line, small(s, 1));
    ASSIGN_OR_RETURN(const std::string text, s.word(2));
    sources_[file][line] = text;
    return {};
  }
  void add_sources() {
    for (const auto& [file, lines] : sources_) {
      std::string text;
      std::uint32_t at = 1;
      for (const auto& [line, content] : lines) {
        for (; at < line; ++at) text += '\n';
        text += content;
      }
      const PackedSource packed = pack_source(text);
      SourceFact fact = packed.fact(string_id(file));
      fact.stored = keep(std::string(fact.stored));
      facts_.push_back(fact);
    }
    sources_.clear();
  }
  // call_site NUMBER CODE LINE [MODULE]
  Status take_call_site(const Statement& s) {
    ASSIGN_OR_RETURN(const std::uint32_t id, small(s, 0));
    ASSIGN_OR_RETURN(const std::uint32_t code, small(s, 1));
    ASSIGN_OR_RETURN(const std::uint32_t line, small(s, 2));
    ASSIGN_OR_RETURN(const std::uint32_t frame, option(s, "frame"));
    facts_.push_back(
        CallSiteFact{id, code, line, s.words.size() > 3 ? string_id(s.words[3]) : 0, frame});
    return {};
  }
  // frame NUMBER CALLER CODE LINE
  Status take_frame(const Statement& s) {
    ASSIGN_OR_RETURN(const std::uint32_t id, small(s, 0));
    ASSIGN_OR_RETURN(const std::uint32_t caller, small(s, 1));
    ASSIGN_OR_RETURN(const std::uint32_t code, small(s, 2));
    ASSIGN_OR_RETURN(const std::uint32_t line, small(s, 3));
    facts_.push_back(CallFrameFact{id, caller, code, line});
    return {};
  }
  // line THREAD CODE LINE HITS TIME SELF [step=N]
  Status take_line(const Statement& s) { return add_tally(s, TallyKind::line, true, false); }
  // call THREAD CODE CALLS PRIMITIVE CUMULATIVE OWN [step=N]
  Status take_call(const Statement& s) { return add_tally(s, TallyKind::call, false, true); }
  // edge THREAD CODE CALLER CALLS PRIMITIVE CUMULATIVE OWN [step=N]
  Status take_edge(const Statement& s) { return add_tally(s, TallyKind::edge, true, true); }

  Status add_tally(const Statement& s, TallyKind kind, bool has_where, bool has_primitive) {
    std::size_t at = 0;
    ASSIGN_OR_RETURN(const std::uint32_t track, small(s, at++));
    ASSIGN_OR_RETURN(const std::uint32_t code, small(s, at++));
    std::uint32_t where = 0, primitive = 0;
    if (has_where) {
      ASSIGN_OR_RETURN(where, small(s, at++));
    }
    ASSIGN_OR_RETURN(const std::uint32_t hits, small(s, at++));
    if (has_primitive) {
      ASSIGN_OR_RETURN(primitive, small(s, at++));
    }
    ASSIGN_OR_RETURN(const std::int64_t inclusive, s.time(at++));
    ASSIGN_OR_RETURN(const std::int64_t exclusive, s.time(at++));
    ASSIGN_OR_RETURN(const std::uint32_t step, option(s, "step"));
    TallyColumns& rows = tallies_[track];
    rows.kind.push_back(kind);
    rows.step.push_back(step + repeated_);
    rows.code.push_back(code);
    rows.where.push_back(where);
    rows.hits.push_back(hits);
    rows.inclusive.push_back(static_cast<std::uint64_t>(inclusive));
    rows.exclusive.push_back(static_cast<std::uint64_t>(exclusive));
    rows.extra_hits.push_back(primitive);
    rows.extra_ns.push_back(0);
    return {};
  }
  static Result<std::uint32_t> small(const Statement& s, std::size_t index) {
    ASSIGN_OR_RETURN(const std::int64_t number, s.number(index));
    return static_cast<std::uint32_t>(number);
  }
  // 0 if it is not given.
  static Result<std::uint32_t> option(const Statement& s, const char* key) {
    const auto it = s.options.find(key);
    if (it == s.options.end()) return 0;
    ASSIGN_OR_RETURN(const std::int64_t number, parse_number(it->second));
    return static_cast<std::uint32_t>(number);
  }
  // warning NAME SEVERITY COUNT MESSAGE
  Status take_warning(const Statement& s) {
    ASSIGN_OR_RETURN(const std::string name, s.word(0));
    ASSIGN_OR_RETURN(const std::string severity, s.word(1));
    ASSIGN_OR_RETURN(const std::int64_t count, s.number(2));
    ASSIGN_OR_RETURN(const std::string message, s.word(3));
    const Severity level = severity == "error"     ? Severity::error
                           : severity == "warning" ? Severity::warning
                                                   : Severity::info;
    facts_.push_back(
        WarningFact{0, level, static_cast<std::uint64_t>(count), keep(name), keep(message)});
    return {};
  }
  // block: what follows goes into new blocks
  Status take_block(const Statement&) { return write_rows(); }
  // corrupt N: flips a byte inside the file's Nth block, from 0
  Status take_corrupt(const Statement& s) {
    ASSIGN_OR_RETURN(const std::int64_t which, s.number(0));
    harms_.push_back([which](Bytes& file) -> Status {
      std::int64_t blocks = 0;
      for (std::size_t at = 0; (at = find_frame(file, at)) < file.size();) {
        const auto frame = parse_frame(file, at);
        if (!frame) break;
        at += frame->total_size;
        if (frame->type != FrameType::block || blocks++ != which) continue;
        file[at - 1] ^= 0x40;
        return {};
      }
      return fail(ErrorKind::usage, "the file has no block " + std::to_string(which));
    });
    return {};
  }
  // cut BYTES: removes them from the file's end
  Status take_cut(const Statement& s) {
    ASSIGN_OR_RETURN(const std::int64_t bytes, s.number(0));
    harms_.push_back([bytes](Bytes& file) -> Status {
      file.resize(file.size() - std::min(file.size(), static_cast<std::size_t>(bytes)));
      return {};
    });
    return {};
  }
  // version N: stamps the file with that format version
  Status take_version(const Statement& s) {
    ASSIGN_OR_RETURN(const std::int64_t version, s.number(0));
    harms_.push_back([version](Bytes& file) -> Status {
      const auto stamp = static_cast<std::uint32_t>(version);
      std::memcpy(file.data() + sizeof kLapMagic, &stamp, sizeof stamp);
      return {};
    });
    return {};
  }

  std::string_view keep(const std::string& text) { return kept_.emplace_back(text); }
  std::uint32_t string_id(const std::string& text) {
    const auto [it, is_new] =
        strings_.try_emplace(text, static_cast<std::uint32_t>(strings_.size() + 1));
    if (is_new) facts_.push_back(StringFact{it->second, it->first});
    return it->second;
  }
  template <typename Columns>
  Status write_table(std::map<std::uint32_t, Columns>& tables) {
    for (const auto& [track, columns] : tables)
      RETURN_IF_ERROR(writer_->add_rows(part_, track, columns));
    tables.clear();
    return {};
  }
  Status write_rows() {
    RETURN_IF_ERROR(write_table(spans_));
    RETURN_IF_ERROR(write_table(values_));
    RETURN_IF_ERROR(write_table(tallies_));
    return {};
  }
  Status end_part() {
    if (!in_part_) return {};
    RETURN_IF_ERROR(write_rows());
    add_sources();
    RETURN_IF_ERROR(writer_->add_facts(part_, facts_));
    facts_.clear();
    strings_.clear();
    configs_.clear();
    return {};
  }

  MemorySink sink_;
  LapWriter* writer_ = nullptr;
  std::uint32_t repeated_ = 0;  // how often the repeated lines were taken before
  std::int64_t shift_ = 0;      // the shift of their times
  bool in_part_ = false;
  std::uint32_t part_ = 0;
  std::vector<Fact> facts_;
  std::list<std::string> kept_;
  std::map<std::string, std::uint32_t> strings_;                         // of the present part
  std::map<LaunchConfig, std::uint32_t> configs_;                        // the same
  std::map<std::string, std::map<std::uint32_t, std::string>> sources_;  // by file, by line
  std::map<std::uint32_t, SpanColumns> spans_;
  std::map<std::uint32_t, ValueColumns> values_;
  std::map<std::uint32_t, TallyColumns> tallies_;
  std::vector<Harm> harms_;
};

}  // namespace

Result<Bytes> make_run(const std::string& text) { return RunMaker().make(text); }

}  // namespace laptime
