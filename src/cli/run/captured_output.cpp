#include "cli/run/captured_output.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/os/file.h"

namespace laptime {

namespace {

std::vector<char*> environment_without(const std::vector<std::string>& names) {
  std::vector<char*> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name =
        std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    if (std::find(names.begin(), names.end(), name) == names.end()) kept.push_back(*entry);
  }
  kept.push_back(nullptr);
  return kept;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

class FileActions {
 public:
  FileActions() { ::posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// If a standard stream is closed, the pipe may have its number.
UniqueFd above_streams(UniqueFd fd) {
  return fd.get() > STDERR_FILENO ? std::move(fd)
                                  : UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(fd, buffer, sizeof buffer)) != 0;) {
    if (n > 0)
      text.append(buffer, static_cast<std::size_t>(n));
    else if (errno != EINTR)
      break;
  }
  return text;
}

int exit_code_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

CapturedOutput capture_output(const std::vector<std::string>& command,
                              const std::vector<std::string>& without, HelperErrors errors) {
  CapturedOutput captured;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return captured;
  const UniqueFd read_end = above_streams(UniqueFd(ends[0]));
  UniqueFd write_end = above_streams(UniqueFd(ends[1]));
  FileActions actions;
  ::posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(actions.get(), write_end.get(), STDOUT_FILENO);
  if (errors == HelperErrors::hidden)
    ::posix_spawn_file_actions_addopen(actions.get(), STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const std::vector<char*> words = pointers_to(command), environment = environment_without(without);
  if (::posix_spawnp(&child, words[0], actions.get(), nullptr, words.data(), environment.data()) !=
      0)
    return captured;
  write_end.reset();
  captured.text = read_all(read_end.get());
  captured.exit_code = exit_code_of(child);
  return captured;
}

}  // namespace laptime
