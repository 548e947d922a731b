"""The page of an account: a new token and its commands are a click away from the clipboard."""

import pytest

from tests.e2e.steps import LOOKS, NARROW, faults, press, sign_up


def make_token(page, name="laptop"):
    page.goto("/account/")
    page.locator("input[name=name]").fill(name)
    page.locator("input[name=scopes][value=submit]").check()
    press(page, "Create token")


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_a_new_token_and_its_commands_are_accessible_and_fit(open_browser, violations, width, scheme):
    with open_browser(width=width, scheme=scheme) as (page, complaints):
        sign_up(page)
        make_token(page)
        found = faults(page, violations)
        make_token(page, "a build server with quite a long name of many words and nothing else")
        found += faults(page, violations)

    assert found == []
    assert complaints == []


def test_each_copy_button_puts_its_field_into_the_clipboard(open_browser):
    with open_browser(width=NARROW, scheme="dark") as (page, complaints):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        sign_up(page)
        make_token(page)
        token = page.locator("#new-token").input_value()
        buttons = page.locator("[data-copies]").all()
        copied = []
        for button in buttons:
            button.click()
            page.get_by_role("button", name="Copied").first.wait_for()
            field = page.locator(f"#{button.get_attribute('data-copies')}")
            copied.append((page.evaluate("navigator.clipboard.readText()"), field.input_value()))
            assert button.bounding_box()["x"] + button.bounding_box()["width"] <= NARROW

    assert len(copied) > 1
    assert copied[0][0] == token
    assert all(clipboard == field for clipboard, field in copied)
    assert all(token in clipboard for clipboard, _ in copied)
    assert complaints == []


def test_a_browser_that_refuses_the_clipboard_has_the_text_selected(open_browser):
    with open_browser() as (page, complaints):
        sign_up(page)
        make_token(page)
        page.context.clear_permissions()
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')); }")
        page.get_by_role("button", name="Copy token").click()
        page.get_by_role("button", name="Press Ctrl+C").wait_for()
        token = page.locator("#new-token").input_value()
        selected = page.locator("#new-token").evaluate("one => one.value.slice(one.selectionStart, one.selectionEnd)")

    assert selected == token
    assert complaints == []


def test_without_javascript_there_are_no_buttons_that_do_nothing(open_browser):
    with open_browser(javascript=False) as (page, _):
        sign_up(page)
        make_token(page)
        visible = [button for button in page.locator("[data-copies]").all() if button.is_visible()]

    assert visible == []
