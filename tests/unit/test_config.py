"""The settings: precedence, strictness, live changes."""

import logging
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.api.errors import OcdError
from ocd.api.wire import CAPABILITY_GROUPS
from ocd.config import reference
from ocd.config.loader import Config, load, reload, sources, unknown_variables
from ocd.config.settings import EXCLUSIVE, LIVE, SETTINGS


class Settings:
    """A home with a config.toml, loaded with flags and variables."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.file = home / "config.toml"

    def load(self, toml: str = "", flags: dict[str, Any] | None = None, **variables: str) -> Config:
        self.file.write_text(toml, encoding="utf-8")
        environ = {"OPENCHROME_HOME": str(self.home)}
        environ |= {f"OPENCHROME_{key.upper()}": value for key, value in variables.items()}
        return load(flags or {}, environ)

    def error(
        self, toml: str = "", flags: dict[str, Any] | None = None, **variables: str
    ) -> OcdError:
        with pytest.raises(OcdError) as caught:
            self.load(toml, flags, **variables)
        assert caught.value.code == "config_invalid"
        return caught.value


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path)


def test_defaults_apply_without_configuration(settings: Settings) -> None:
    config = settings.load()
    assert config.home == settings.home
    assert config.profile == settings.home / "profile"
    assert (config.output_handle_ttl_hours, config.max_concurrent_tasks) == (24, 4)
    assert config.overrides == {}


def test_flags_beat_variables_beat_the_file(settings: Settings) -> None:
    toml = "max_concurrent_tasks = 1"
    assert settings.load(toml).max_concurrent_tasks == 1
    assert settings.load(toml, max_concurrent_tasks="2").max_concurrent_tasks == 2
    flags = {"max_concurrent_tasks": 3}
    assert settings.load(toml, flags, max_concurrent_tasks="2").max_concurrent_tasks == 3


def test_every_source_can_set_false(settings: Settings) -> None:
    assert settings.load("headed = true", headed="0").headed is False
    assert settings.load("headed = true", {"headed": False}).headed is False
    assert settings.load(sanitize_content="false").sanitize_content is False


@pytest.mark.parametrize(
    ("toml", "key", "reason"),
    [
        ("max_concurrent_task = 1", "max_concurrent_task", "unknown key"),
        ("home = '/x'", "home", "unknown key"),
        ("overrides = {}", "overrides", "unknown key"),
        ("max_concurrent_tasks = '1'", "max_concurrent_tasks", "`int`"),
        ("max_concurrent_tasks = 0", "max_concurrent_tasks", ">= 1"),
        ("max_concurrent_tasks = true", "max_concurrent_tasks", "`int`"),
        ("output_handle_ttl_hours = -1", "output_handle_ttl_hours", ">= 0"),
        ("output_handle_ttl_hours = nan", "output_handle_ttl_hours", ""),
        ("output_handle_ttl_hours = inf", "output_handle_ttl_hours", ""),
        ("output_handle_sweep_interval_seconds = 0", "output_handle_sweep_interval_seconds", "> 0"),
        ("allow_domain = 'x.org'", "allow_domain", "`array`"),
        ("allow_domain = [1]", "allow_domain", "`str`"),
        ("profile = ''", "profile", "path"),
        ("headed = 1", "headed", "`bool`"),
        ("[nothing]\nx = 1", "nothing", "unknown key"),
    ],
)
def test_an_invalid_line_is_named(settings: Settings, toml: str, key: str, reason: str) -> None:
    error = settings.error(toml)
    assert f"{settings.file}: {key}: " in error.message
    assert reason in error.message
    assert error.details["key"] == key


def test_errors_list_the_keys_of_a_table(settings: Settings) -> None:
    assert "exfiltration (allow, ask, deny)" in settings.error("[policy]\nexfiltration = 'no'").hint
    error = settings.error("[upstream.a]\nurl = 'https://x'\n[upstream.b]\ncomand = 'x'")
    assert "upstream.b: " in error.message
    assert "command, args" in error.hint


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ('origin = "a b"\nrule = "ask"', "Not a valid host: 'a b'"),
        ('origin = "https://x.org/a"\nrule = "ask"', "rules apply to whole hosts"),
        ('rule = "perhaps"', "Invalid enum value 'perhaps' - at `$.action[0].rule`"),
        ('verbs = ["interct"]\nrule = "deny"', "Did you mean 'interact'?"),
        ('origin = "example.org"', "missing required field `rule`"),
    ],
)
def test_an_invalid_action_rule_is_an_error(settings: Settings, rule: str, why: str) -> None:
    error = settings.error(f"[[policy.action]]\n{rule}\n")
    assert why in error.message
    assert "action (tables of origin, verbs, rule (allow, ask, deny))" in error.hint


def test_a_misspelt_key_gets_the_nearest_right_one(settings: Settings) -> None:
    assert settings.error("max_concurent_tasks = 1").hint == "Did you mean 'max_concurrent_tasks'?"


def test_invalid_variables_and_flags_are_named_as_written(settings: Settings) -> None:
    assert settings.error(max_concurrent_tasks="many").message.startswith(
        "OPENCHROME_MAX_CONCURRENT_TASKS: "
    )
    assert settings.error("", {"max_concurrent_tasks": 0}).message.startswith(
        "--max-concurrent-tasks: "
    )


def test_a_word_that_is_no_argument_of_chromium_is_refused(settings: Settings) -> None:
    """Chromium would open it as a page, beside those of the sessions."""
    error = settings.error(browser_args="--lang=de lang")
    assert "OPENCHROME_BROWSER_ARGS" in error.message
    assert "'lang'" in error.message
    assert "--lang=de" in error.hint


def test_a_file_that_is_not_toml_is_named(settings: Settings) -> None:
    assert str(settings.file) in settings.error("a ==").message
    settings.file.write_bytes(b"\xff\xfe")
    with pytest.raises(OcdError, match=r"config\.toml"):
        load({}, {"OPENCHROME_HOME": str(settings.home)})


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(OcdError, match=r"config\.toml: "):
        load({}, {"OPENCHROME_HOME": str(tmp_path)})


def test_unknown_groups_are_refused_with_the_known_ones(settings: Settings) -> None:
    for error in (
        settings.error("tools_only = ['cor']"),
        settings.error(disable_tools="cor"),
        settings.error("", {"tools_only": [""]}),
    ):
        assert "unknown capability group" in error.message
        assert all(group in error.hint for group in CAPABILITY_GROUPS)


def test_one_source_cannot_set_exclusive_settings(settings: Settings) -> None:
    error = settings.error("tools_only = ['core']\ndisable_tools = ['crawl']")
    assert "tools_only: cannot be combined" in error.message
    assert "disable_tools" in error.message
    assert "profile" in settings.error("", {"isolated": True, "profile": "x"}).message


def test_a_higher_source_overrides_exclusive_settings_below(settings: Settings) -> None:
    config = settings.load("tools_only = ['core']", {"disable_tools": ["crawl"]})
    assert (config.tools_only, config.disable_tools) == ((), ("crawl",))
    config = settings.load("profile = 'p'", isolated="1")
    assert (config.isolated, config.profile) == (True, settings.home / "profile")


def test_relative_paths_are_resolved_against_their_source(settings: Settings) -> None:
    assert settings.load("profile = 'p'").profile == settings.home / "p"
    assert settings.load("", {"profile": "p"}).profile == Path.cwd() / "p"
    assert settings.load(profile="~/p").profile == Path.home() / "p"


def test_list_variables_are_split(settings: Settings) -> None:
    config = settings.load(
        allow_domain="a.org, *.b.org",
        browser_args="--lang=de '--window-size=1,2'",
        allow_file_root=f"/a{os.pathsep}/b",
    )
    assert config.allow_domain == ("a.org", "*.b.org")
    assert config.browser_args == ("--lang=de", "--window-size=1,2")
    assert config.allow_file_root == (Path("/a"), Path("/b"))
    assert "OPENCHROME_BROWSER_ARGS" in settings.error(browser_args="'open").message


def test_an_empty_variable_counts_as_unset(settings: Settings) -> None:
    assert settings.load(max_concurrent_tasks="").max_concurrent_tasks == 4


def test_misspelt_variables_are_found() -> None:
    environ = {"OPENCHROME_HEADDED": "1", "OPENCHROME_SESSION": "a", "OPENCHROME_HEADED": "1"}
    assert unknown_variables(environ) == [
        ("OPENCHROME_HEADDED", "Did you mean 'OPENCHROME_HEADED'?")
    ]
    assert unknown_variables({"OPENCHROME_TOTP_A_ORG": "x", "OPENCHROME_HOME": "/h"}) == []
    ((_, hint),) = unknown_variables({"OPENCHROME_HANDLE_LARGE_TOOL_OUTPUT": "1"})
    assert "set [handle_large_tool_output] in config.toml" in hint
    ((_, hint),) = unknown_variables({"OPENCHROME_SOMETHING_ELSE": "1"})
    assert hint == "All settings: ocd config show"


def test_the_sample_has_every_setting_and_changes_nothing(settings: Settings) -> None:
    """Each key can be uncommented as it stands."""
    text = reference.sample()
    assert settings.load(text) == settings.load()
    for key, setting in SETTINGS.items():
        assert key in text
        if not setting.is_table and not isinstance(setting.default, (Path, type(None))):
            line = next(one for one in text.splitlines() if one.startswith(f"# {key} = "))
            assert getattr(settings.load(line[2:]), key) == setting.default
        assert f"`{key}`" in reference.page() or f"`[{key}]`" in reference.page()


def test_sources_name_the_variable_or_file_of_each_setting(settings: Settings) -> None:
    settings.load("tier = 1\nheaded = true")
    environ = {"OPENCHROME_HOME": str(settings.home), "OPENCHROME_TIER": "3"}
    assert sources(environ) == {"tier": "OPENCHROME_TIER", "headed": str(settings.file)}


def test_reload_applies_live_settings_and_names_those_needing_a_restart(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    config = settings.load()
    settings.file.write_text("max_concurrent_tasks = 9\nheaded = true\n")
    with caplog.at_level(logging.INFO):
        new = reload(config, settings.file)
    assert (new.max_concurrent_tasks, new.headed) == (9, False)
    assert "changing headed needs a restart" in caplog.text


def test_reload_keeps_the_last_good_settings(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    config = settings.load("max_concurrent_tasks = 9")
    settings.file.write_text("max_concurrent_tasks = 'x'")
    assert reload(config, settings.file) is config
    assert "keeping the last valid configuration" in caplog.text
    settings.file.unlink()
    assert reload(config, settings.file).max_concurrent_tasks == 4


def test_reload_never_beats_a_flag(settings: Settings) -> None:
    config = settings.load("", {"max_concurrent_tasks": 2}, browser_idle_minutes="7")
    settings.file.write_text("max_concurrent_tasks = 9\nbrowser_idle_minutes = 1\n")
    new = reload(config, settings.file)
    assert (new.max_concurrent_tasks, new.browser_idle_minutes) == (2, 7)


@given(
    st.dictionaries(st.sampled_from(["max_concurrent_tasks", "max_store_mb"]), st.integers(1, 64))
)
def test_reload_of_what_was_loaded_changes_nothing(values: dict[str, int]) -> None:
    config = Config(
        home=Path("/nowhere"), overrides=values, profile=Path("/nowhere/profile"), **values
    )
    assert reload(config, Path("/nowhere/config.toml")) == config


def test_every_setting_is_described_and_exclusions_name_settings() -> None:
    assert all(setting.meta.description for setting in SETTINGS.values())
    assert {key for pair in EXCLUSIVE for key in pair} <= SETTINGS.keys()
    assert SETTINGS.keys() >= LIVE


def test_every_setting_is_used() -> None:
    """A setting that is accepted and ignored is a defect."""
    root = Path(__file__).parents[2]
    sources = [
        file.read_text(encoding="utf-8")
        for folder in ("daemon", "client", "mcp_bridge")
        for file in (root / folder).rglob("*.py")
        if file.name not in ("settings.py", "loader.py") and file.parent.name != "cli"
    ]
    read = [key for key in SETTINGS if any(f"config.{key}" in text for text in sources)]
    asked_by_the_client = [key for key in ("auto_start",) if any(f'"{key}"' in t for t in sources)]
    assert {*read, *asked_by_the_client} == set(SETTINGS)
