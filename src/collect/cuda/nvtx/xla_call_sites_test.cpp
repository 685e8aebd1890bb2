#include "collect/cuda/nvtx/xla_call_sites.h"

#include <gtest/gtest.h>

#include <thread>

#include "collect/cuda/launch_context.h"
#include "collect/cuda/nvtx/nvtx_ranges.h"
#include "format/record.h"

namespace laptime::cuda {
namespace {

class XlaCallSitesTest : public testing::Test {
 protected:
  XlaCallSitesTest() {
    for (const char* module : {"jit_step", "jit_loss"})
      for (std::uint32_t i = 1; i <= 3; ++i)
        XlaCallSites::get().add(module, "custom-call." + std::to_string(i),
                                i + (module[4] == 'l' ? 10 : 0));
  }
  ~XlaCallSitesTest() override {
    for (; open_ > 0; --open_) nvtx::pop(1);
  }
  void push(std::string_view text) {
    nvtx::push(1, nvtx::name_of(text));
    ++open_;
  }
  void pop() {
    nvtx::pop(1);
    --open_;
  }
  static std::uint32_t here() {
    return XlaCallSites::get().call_site(nvtx::innermost(nvtx::Role::xla_module),
                                         nvtx::innermost(nvtx::Role::xla_instruction));
  }

 private:
  int open_ = 0;
};

TEST_F(XlaCallSitesTest, TheLineIsThatOfTheInnermostModulesInstruction) {
  EXPECT_EQ(here(), 0u);
  push("XlaModule:#hlo_module=jit_step,program_id=3#");
  EXPECT_EQ(here(), 0u) << "which instruction launches is not known";
  push("Thunk:#name=jit(step)/jvp()/dot_general,hlo_op=custom-call.2,unique_hlo_op_id=8589934613#");
  EXPECT_EQ(here(), 2u);
  push("something of cuBLAS's own");
  EXPECT_EQ(here(), 2u);
  push("XlaModule:#hlo_module=jit_loss#");
  push("Thunk:#hlo_op=custom-call.1#");
  EXPECT_EQ(here(), 11u);
  std::thread([] { EXPECT_EQ(here(), 0u) << "another thread's ranges"; }).join();
  pop();
  pop();
  EXPECT_EQ(here(), 2u);
}

TEST_F(XlaCallSitesTest, AnUnknownInstructionHasNoLine) {
  push("XlaModule:#hlo_module=jit_step,program_id=3#");
  for (const char* text : {"Thunk:#hlo_op=custom-call.9#", "Thunk:#hlo_op=#", "Thunk:#name=hlo_op#",
                           "Thunk:#", "hlo_op=custom-call.1"}) {
    push(text);
    EXPECT_EQ(here(), 0u) << text;
    pop();
  }
  pop();
  push("XlaModule:#hlo_module=jit_unknown#");
  push("Thunk:#hlo_op=custom-call.1#");
  EXPECT_EQ(here(), 0u);
}

TEST_F(XlaCallSitesTest, ProgramsOfOneNameThatDisagreeAreNotBelieved) {
  push("XlaModule:#hlo_module=jit_step#");
  push("Thunk:#hlo_op=custom-call.3#");
  EXPECT_EQ(here(), 3u);
  XlaCallSites::get().add("jit_step", "custom-call.3", 3);
  EXPECT_EQ(here(), 3u);
  XlaCallSites::get().add("jit_step", "custom-call.3", 4);
  EXPECT_EQ(here(), 0u);
}

TEST_F(XlaCallSitesTest, ALaunchHasThatLineNotTheCallersOne) {
  LaunchContext context;
  context.set_call_site_function([]() -> std::uint32_t { return 77; });
  EXPECT_EQ(OpLink::call_site(context.here().packed), 77u);
  push("XlaModule:#hlo_module=jit_step#");
  push("Thunk:#hlo_op=custom-call.1#");
  EXPECT_EQ(OpLink::call_site(context.here().packed), 1u);
  EXPECT_EQ(context.call_site(), 77u) << "a wait is the caller's";
}

}  // namespace
}  // namespace laptime::cuda
