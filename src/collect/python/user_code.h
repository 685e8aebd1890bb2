// Which code is the user's own: not the standard library, not an installed package, not laptime.
#pragma once

#include <Python.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "collect/python/python_support.h"

namespace laptime::python {

class UserCode {
 public:
  struct Rules {
    std::vector<std::string> library_paths;  // folders of the standard library and of laptime
    std::vector<std::string> include;        // globs on the whole file name; stronger than the folders
    std::vector<std::string> exclude;        // globs; stronger than include
    bool operator==(const Rules&) const = default;
  };

  // `predicate`, a callable from file name to bool, decides alone where it is given (borrowed; kept alive).
  void configure(Rules rules, PyObject* predicate);
  bool is_user(const std::string& file);
  bool same_as(const Rules& rules, const PyObject* predicate) const {
    return rules == rules_ && predicate == predicate_.get();
  }

 private:
  bool decide(const std::string& file) const;

  Rules rules_;
  OwnedRef predicate_;
  std::unordered_map<std::string, bool> decided_;
};

}  // namespace laptime::python
