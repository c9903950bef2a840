# SPDX-License-Identifier: Apache-2.0
"""The service's pages in Chromium: empty, full and failing, in both schemes, by mouse and for axe."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from nalm_server_git import Repo, make_repo
from playwright.sync_api import Browser, Page, expect
from service_browser import fresh_page, opened, require_accessible
from service_process import PASSWORD, Service, fill
from tiers import by_night

NF = "my-nf"


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return make_repo(tmp_path_factory.mktemp("repository"))


@pytest.fixture(scope="module")
def options(signed_in: dict[str, Any]) -> dict[str, Any]:
    return signed_in


@pytest.fixture(scope="module")
def filled(service: Service, repo: Repo, signed_in: dict[str, Any]) -> dict[str, int]:
    assert signed_in
    return fill(service, repo, NF)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/", "No project yet"),
        ("/queue", "The queue is empty"),
        ("/hosts", "No host yet"),
        ("/account", "Tokens for programs"),
    ],
)
def test_with_nothing_there_a_page_says_what_comes(page: Page, path: str, text: str) -> None:
    page.goto(path)
    expect(page.get_by_role("main")).to_contain_text(text)
    require_accessible(page)


def test_a_browser_with_a_token_has_no_account(
    browser: Browser, service: Service, signed_in: dict[str, Any]
) -> None:
    assert signed_in
    headers = {"Authorization": service.admin.headers["Authorization"]}
    with fresh_page(browser, base_url=service.url, extra_http_headers=headers) as page:
        page.goto("/account")
        main = page.get_by_role("main")
        expect(main).to_contain_text("A token has no account")
        expect(main.get_by_role("button")).to_have_count(0)
        require_accessible(page)


def test_a_link_is_taken_by_the_sign_in_page_that_is_open(
    browser: Browser, service: Service, signed_in: dict[str, Any]
) -> None:
    assert signed_in
    link = service.post("/accounts", {"name": "nora"})["link"]
    with opened(browser, service) as page:
        page.goto("/sign-in")
        page.goto(link)
        expect(page.get_by_role("button", name="Sign in with this link")).to_be_visible()


def test_a_folder_is_added_on_the_server_s_host(page: Page) -> None:
    page.goto("/new")
    page.get_by_label("Name").fill("my-nf")
    page.get_by_label("Repository").fill("/srv/nf.git")
    command = "nalm-server project add my-nf --repository /srv/nf.git"
    expect(page.get_by_role("main")).to_contain_text(command)
    expect(page.get_by_role("button", name="Create the project")).to_be_disabled()
    require_accessible(page)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/queue", "round 41 of 64"),
        ("/jobs/{running}", "312 targets"),
        ("/jobs/{failed}", "nat.c:12: error"),
        (f"/p/{NF}/measure", "Commit, branch or tag"),
        (f"/p/{NF}/backfills/{{backfill}}", "of 3 commits"),
        (f"/p/{NF}/bisections/{{bisect}}", "Candidates left"),
        ("/hosts", "bench-1"),
        *by_night(
            (f"/p/{NF}/queue", "Recently finished"),
            (f"/p/{NF}/measure?kind=backfill", "Start the backfill"),
            (f"/p/{NF}/measure?kind=bisect", "Start the bisect"),
            (f"/p/{NF}/settings?part=repository", "hooks/gitlab"),
        ),
    ],
)
def test_with_work_there_a_page_shows_it(page: Page, filled: dict[str, int], path: str, text: str) -> None:
    page.goto(path.format_map(filled))
    expect(page.get_by_role("main")).to_contain_text(text)
    require_accessible(page)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "path", ["/queue", "/hosts", "/jobs/1", f"/p/{NF}/backfills/1", f"/p/{NF}/bisections/1"]
)
def test_a_failing_server_is_said_so(page: Page, filled: dict[str, int], path: str) -> None:
    assert filled
    error = {"name": "internal", "message": "The database does not answer.", "request_id": "7f3a"}
    reported = {"error": error}
    expected = ("jobs", "hosts", "backfills", "bisections")
    page.route(
        lambda url: any(f"/api/v1/{one}" in url for one in expected),
        lambda route: route.fulfill(status=500, json=reported),
    )
    page.goto(path)
    expect(page.get_by_role("alert")).to_contain_text("The database does not answer.", timeout=20_000)
    require_accessible(page)


@pytest.mark.parametrize(
    ("former", "present"),
    [
        (f"/p/{NF}/bisects/1", f"/p/{NF}/bisections/1"),
        (f"/p/{NF}/quality?days=30", f"/p/{NF}/detection-quality?days=30"),
    ],
)
def test_a_page_opens_at_its_former_address(
    page: Page, filled: dict[str, int], former: str, present: str
) -> None:
    assert filled
    page.goto(former)
    page.wait_for_url(f"**{present}")


def test_the_queue_moves_by_itself(page: Page, service: Service, filled: dict[str, int]) -> None:
    page.goto("/queue")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    service.post(f"/jobs/{filled['last']}/cancel", {"reason": "not wanted"})
    expect(page.get_by_text("Cancelled", exact=True)).to_be_visible()


def test_a_forks_job_waits_until_it_is_approved(page: Page, filled: dict[str, int]) -> None:
    page.goto("/queue?reason=pull_request")
    page.get_by_role("button", name=f"Approve, job {filled['held']}").click()
    expect(page.get_by_role("button", name=f"Cancel, job {filled['held']}")).to_be_visible()


def test_a_log_is_opened_in_the_queue(page: Page, filled: dict[str, int]) -> None:
    assert filled
    page.goto("/queue")
    page.get_by_text("Log", exact=True).first.click()
    expect(page.get_by_text("312 targets")).to_be_visible()


def test_a_read_token_goes_in_and_never_comes_out(page: Page, filled: dict[str, int]) -> None:
    assert filled
    page.goto(f"/p/{NF}/settings?part=repository")
    token = page.get_by_role("region", name="Read token")
    token.locator("input[type=password]").fill("glpat-secret")
    token.get_by_role("button", name="Set", exact=True).click()
    expect(token.get_by_text("A read token is set. A new one replaces it.")).to_be_visible()
    expect(token.locator("input[type=password]")).to_have_value("")
    token.get_by_role("button", name="Remove").click()
    expect(token.get_by_text("No read token is set")).to_be_visible()


def test_a_delivery_is_worked_on_again(page: Page, filled: dict[str, int]) -> None:
    assert filled
    page.goto(f"/p/{NF}/settings?part=repository")
    deliveries = page.get_by_role("region", name="Deliveries")
    with page.expect_response(lambda answer: answer.url.endswith("/redeliver")) as taken:
        deliveries.get_by_role("button", name="Redeliver").last.click()
    assert taken.value.status == 202


def test_providers_have_their_buttons(browser: Browser, service: Service) -> None:
    page = browser.new_page(base_url=service.url)
    offered = [{"name": "forge", "label": "The Forge"}]
    page.route("**/api/v1/sign-in/providers", lambda route: route.fulfill(json=offered))
    page.goto("/sign-in")
    button = page.get_by_role("link", name="Sign in with The Forge")
    expect(button).to_have_attribute("href", "/api/v1/sign-in/forge/start")
    require_accessible(page)
    page.close()


def test_a_stranger_signs_in_and_comes_back(
    browser: Browser, service: Service, filled: dict[str, int]
) -> None:
    name = service.get("/accounts")[0]["name"]
    page = browser.new_page(base_url=service.url)
    page.goto(f"/p/{NF}/settings")
    page.get_by_role("main").get_by_role("link", name="Sign in").click()
    page.locator("[autocomplete=username]").fill(name)
    page.locator("[autocomplete=current-password]").fill("not this one at all")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("Name or password is wrong.")
    require_accessible(page)
    page.locator("[autocomplete=current-password]").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{service.url}/p/{NF}/settings")
    page.get_by_role("button", name=name).click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(page.get_by_role("banner").get_by_role("link", name="Sign in")).to_be_visible()
    page.close()


def test_a_private_project_offers_strangers_to_sign_in(browser: Browser, service: Service) -> None:
    new = {"name": "quiet", "repository": "https://git.example/quiet.git", "check_repository": False}
    service.post("/projects", new)
    page = browser.new_page(base_url=service.url)
    page.goto("/p/quiet")
    expect(page.get_by_role("alert").get_by_role("link", name="Sign in")).to_have_attribute(
        "href", "/sign-in?to=%2Fp%2Fquiet"
    )
    page.close()


def test_the_projects_page_tells_a_stranger_nothing_of_private_ones(service: Service) -> None:
    names = [one["name"] for one in httpx.get(f"{service.url}/api/v1/projects").json()]
    assert "quiet" not in names
