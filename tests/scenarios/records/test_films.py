"""Films of recordings: what the tab showed, with what was done in it."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

from support.daemon import Daemon
from support.films import BLUE, GREEN, ORANGE, RED, is_outlined, last_colour_is, pictures, share_of
from support.processes import naming
from support.recorded import actions, recorded
from support.site import Site
from support.waiting import wait_until

# Plays a film from its beginning to its end, and then its last second again.
PLAY = """(async () => {
  const video = document.body.appendChild(document.createElement('video'));
  video.muted = true;
  video.src = 'data:video/webm;base64,%s';
  video.playbackRate = 16;
  await video.play();
  if (!video.ended) await new Promise((done) => video.addEventListener('ended', done));
  const seeked = new Promise((done) => video.addEventListener('seeked', done));
  video.currentTime = video.duration - 0.5;
  await seeked;
  return JSON.stringify([video.duration, video.videoWidth, video.error]);
})()"""


def film_of(daemon: Daemon, recording_id: str) -> Path:
    return daemon.home.path / "recordings" / recording_id / "film.webm"


def turn(daemon: Daemon, site: Site, film: Path, session: str | None = None) -> None:
    """Have the red page turn blue, both seen in the film, and its password shown in between."""
    daemon.do("navigate", session, url=site.url("records/film.html"))
    wait_until(lambda: last_colour_is(film, RED), what="the red page in the film")
    daemon.do("form_input", session, query="Plain", value="hunter2000")
    # A picture taken now: the camera has seen which fields are for passwords.
    wait_until(lambda: is_outlined(film), what="the field's outline in the film")
    daemon.do("interact", session, query="Show button")
    daemon.do("interact", session, query="Turn button")
    wait_until(lambda: last_colour_is(film, BLUE), what="the blue page in the film")


def test_a_film_shows_the_actions_but_no_password_field(daemon: Daemon, site: Site) -> None:
    """Pages before and after, outlines of elements, no password fields, playable."""
    with recorded(daemon, video=True) as recording_id:
        film = film_of(daemon, recording_id)
        turn(daemon, site, film)
    shown = [image for _, image in pictures(film)]
    assert not any(share_of(image, GREEN) for image in shown)
    assert any(share_of(image, ORANGE) for image in shown)
    assert share_of(shown[-1], BLUE) > 0.4
    done = actions(daemon, recording_id)
    places = [one["film_s"] for one in done]
    assert places == sorted(places)
    target = daemon.home.path / "files" / "turned.webm"
    made = daemon.do(
        "oc_recording_export", recording_id=recording_id, format="webm", path=str(target)
    )
    data = target.read_bytes()
    assert made["size_bytes"] == len(data)
    daemon.do("navigate", url=site.url("article.html"))
    script = PLAY % b64encode(data).decode()
    played = daemon.do("javascript_tool", code=script, timeout_ms=120_000)
    length, width, error = json.loads(played["content"])
    assert (width > 0, error, length >= places[-1]) == (True, None, True)


def test_a_film_as_gif(daemon: Daemon, site: Site) -> None:
    """The export writes a file of its own where none is named; a recording without one says so."""
    with recorded(daemon, "gif", video=True) as recording_id:
        film = film_of(daemon, recording_id)
        daemon.do("navigate", "gif", url=site.url("records/film.html"))
        wait_until(lambda: last_colour_is(film, RED), what="the red page in the film")
    made = daemon.do("oc_recording_export", recording_id=recording_id, format="gif")
    assert Path(made["path"]).read_bytes().startswith(b"GIF89a")
    assert share_of(list(pictures(Path(made["path"])))[-1][1], RED) > 0.4
    with recorded(daemon, "gif") as without:
        pass
    refused = daemon.call("oc_recording_export", recording_id=without, format="gif")
    assert refused.error["code"] == "not_found"


def test_a_film_is_playable_after_its_daemon_was_killed(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """Up to its last second, at once and from the next daemon, which deletes it with the rest."""
    daemon = make_daemon()
    with_film = daemon.do("oc_recording_start", video=True)["recording_id"]
    film = film_of(daemon, with_film)
    turn(daemon, site, film)
    daemon.kill9()
    assert last_colour_is(film, BLUE)
    assert oct(os.stat(film).st_mode)[-3:] == "600"  # noqa: PTH116 - as the kernel has it
    daemon.start()
    listed = daemon.do("oc_recording_list")["recordings"][0]
    assert (listed["status"], listed["film"]) == ("interrupted", str(film))
    made = daemon.do("oc_recording_export", recording_id=with_film, format="webm")
    assert last_colour_is(Path(made["path"]), BLUE)


def test_a_session_without_a_tab_has_no_film(daemon: Daemon) -> None:
    """Nothing was shown: no file is named, and asking for it explains how to make one."""
    daemon.do("oc_recording_start", video=True)
    ended = daemon.do("oc_recording_stop")
    assert (ended["video"], ended["film_s"]) == (True, 0)
    assert "film" not in ended
    reply = daemon.call("oc_recording_export", format="webm")
    assert reply.code == "not_found"
    assert '`oc_recording_start {"video": true}`' in reply.error["hint"]


def test_a_recording_continues_when_its_encoder_is_killed(daemon: Daemon, site: Site) -> None:
    """The recording goes on, and the daemon; what was encoded by then plays."""
    recording = daemon.do("oc_recording_start", video=True)["recording_id"]
    daemon.do("navigate", url=site.url("records/film.html"))
    path = daemon.home.path / "recordings" / recording / "film.webm"
    wait_until(lambda: last_colour_is(path, RED), what="the page in the film")
    (encoder,) = naming(path)
    encoder.kill()
    daemon.do("interact", query="Turn button")
    ended = daemon.do("oc_recording_stop")
    assert (ended["film_ended_by"], ended["status"]) == ("failed", "ended")
    assert last_colour_is(path, RED)
