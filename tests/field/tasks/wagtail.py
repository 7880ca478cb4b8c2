"""Tasks in Django's administration and in that of Wagtail."""

from __future__ import annotations

from field.tasks.agent import Agent
from field.tasks.applications import PASSWORD, Wagtail


def log_in(agent: Agent, site: Wagtail) -> None:
    agent.open(f"{site.url}/django-admin/")
    agent.fill({"Username": "root", "Password": PASSWORD}, "Log in")
    agent.expect("Site administration")
    assert site.rows("select count(*) from django_session") == [(1,)]


def add_a_user(agent: Agent, site: Wagtail) -> None:
    agent.open(f"{site.url}/django-admin/")
    agent.go("Add user")
    agent.fill({"Username": "ada", "Password": PASSWORD, "Password confirmation": PASSWORD}, "Save")
    agent.expect("added successfully")
    assert site.rows("select count(*) from auth_user where username = 'ada'") == [(1,)]


def describe_a_user(agent: Agent, site: Wagtail) -> None:
    agent.open(f"{site.url}/django-admin/auth/user/")
    agent.act("ada")
    agent.fill({"First name": "Ada", "Last name": "Lovelace", "Email address": "ada@example.org",
                "Staff status": True}, "Save")  # fmt: skip
    agent.expect("changed successfully")
    query = "select first_name, last_name, email, is_staff from auth_user where username = 'ada'"
    assert site.rows(query) == [("Ada", "Lovelace", "ada@example.org", 1)]


def date_a_user(agent: Agent, site: Wagtail) -> None:
    agent.open(f"{site.url}/django-admin/auth/user/")
    agent.act("ada")
    agent.act("Today", of="Last login")
    agent.act("Now", of="Last login")
    agent.go("Save")
    agent.expect("changed successfully")
    query = "select count(*) from auth_user where username = 'ada' and last_login is not null"
    assert site.rows(query) == [(1,)]


def give_permissions_to_a_group(agent: Agent, site: Wagtail) -> None:
    agent.open(f"{site.url}/django-admin/auth/group/add/")
    agent.fill({"Name": "Readers"})
    wanted = ["Taggit | tag | Can add tag", "Taggit | tag | Can change tag"]
    agent.fill_list("Available permissions", wanted)
    agent.act("Choose selected permissions")
    agent.go("Save")
    agent.expect("added successfully")
    query = (
        "select count(*) from auth_group_permissions, auth_group"
        " where group_id = auth_group.id and name = 'Readers'"
    )
    assert site.rows(query) == [(2,)]


def delete_by_search(agent: Agent, site: Wagtail) -> None:
    agent.open(f"{site.url}/django-admin/auth/group/")
    agent.fill(
        {"Select this object for an action - Readers": True, "Action": "Delete selected groups"}
    )
    agent.go("Go")
    agent.go("Yes, I\u2019m sure")
    agent.expect("Successfully deleted")
    assert site.rows("select count(*) from auth_group where name = 'Readers'") == [(0,)]


def publish_a_page(agent: Agent, site: Wagtail) -> None:
    agent.open(f"{site.url}/admin/pages/add/home/homepage/3/")
    agent.fill({"Title": "About us"})
    _publish(agent)
    agent.expect("created and published")
    assert site.rows("select live from wagtailcore_page where title = 'About us'") == [(1,)]


def rename_a_page(agent: Agent, site: Wagtail) -> None:
    agent.open(f"{site.url}/admin/pages/3/")
    agent.act("About us")
    agent.fill({"Title": "Who we are"})
    _publish(agent)
    agent.expect("published")
    assert site.rows("select live from wagtailcore_page where title = 'Who we are'") == [(1,)]


def _publish(agent: Agent) -> None:
    agent.act("More actions")
    agent.act("Publish")


def redirect(agent: Agent, site: Wagtail) -> None:
    agent.open(f"{site.url}/admin/redirects/add/")
    agent.fill(
        {"Redirect from": "/old", "Redirect to any URL": "https://example.org/new"}, "Create"
    )
    agent.expect("added")
    query = "select old_path, redirect_link from wagtailredirects_redirect"
    assert site.rows(query) == [("/old", "https://example.org/new")]


def delete_a_page(agent: Agent, site: Wagtail) -> None:
    (page,) = site.rows("select id from wagtailcore_page where title = 'Who we are'")
    agent.open(f"{site.url}/admin/pages/{page[0]}/edit/")
    agent.act("Actions")
    agent.act("Delete")
    agent.go("Yes, delete")
    agent.expect("deleted")
    assert site.rows("select count(*) from wagtailcore_page where title = 'Who we are'") == [(0,)]


TASKS = (
    log_in, add_a_user, describe_a_user, date_a_user, give_permissions_to_a_group,
    delete_by_search, publish_a_page, rename_a_page, redirect, delete_a_page,
)  # fmt: skip
