"""Doing something when a module is imported: by anybody, once, and without a trace."""

import importlib
import sys

import pytest
from laptime.collect.imports import when_imported


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)

    def write(source, name="a_module_of_the_program"):
        (tmp_path / f"{name}.py").write_text(source)
        monkeypatch.delitem(sys.modules, name, raising=False)
        importlib.invalidate_caches()
        return name

    return write


def test_called_once_after_the_import(module):
    name, seen, finders = module("VALUE = 3\n"), [], list(sys.meta_path)
    when_imported(name, lambda: seen.append(sys.modules[name].VALUE))
    assert not seen
    imported = importlib.import_module(name)
    assert seen == [3] and sys.meta_path == finders
    assert "exec_module" not in vars(imported.__loader__)
    importlib.reload(imported)
    assert seen == [3]


def test_called_at_once_if_it_is_there():
    seen = []
    when_imported("importlib", lambda: seen.append(1))
    assert seen == [1]


def test_failing_import_stays_the_programs(module):
    name, seen = module("raise ImportError('of the program')\n"), []
    when_imported(name, lambda: seen.append(1))
    with pytest.raises(ImportError, match="of the program"):
        importlib.import_module(name)
    module("")
    importlib.import_module(name)
    assert seen == [1]


def test_module_that_is_missing_at_first(module):
    seen = []
    when_imported("not_there_yet", lambda: seen.append(1))
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("not_there_yet")
    importlib.import_module(module("", "not_there_yet"))
    assert seen == [1]


def test_failing_action_is_one_line(module, capfd):
    name = module("")
    when_imported(name, lambda: 1 / 0)
    importlib.import_module(name)
    error = capfd.readouterr().err
    assert error.startswith("laptime: ") and "division by zero" in error and error.count("\n") == 1


def test_a_request_that_is_taken_back(module):
    name, seen, before = module(""), [], list(sys.meta_path)
    when_imported(name, lambda: seen.append(1))()
    assert sys.meta_path == before
    importlib.import_module(name)
    assert not seen
