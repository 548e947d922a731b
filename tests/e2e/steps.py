"""What the browser tests do again and again."""

WIDE, NARROW = 1280, 390


def sign_up(page, name="walker", path="/account/signup/"):
    """Make an account by the form and stay signed in; `path` None: the form is on the page."""
    if path is not None:
        page.goto(path)
    page.get_by_label("Username").fill(name)
    page.locator("input[name=password1]").fill("a long pass phrase 77")
    page.locator("input[name=password2]").fill("a long pass phrase 77")
    with page.expect_navigation():
        page.locator("main button[type=submit]").click()


def press(page, name):
    """Press a button that sends a form, and wait for the page that answers, at whatever address."""
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=True).click()


def wait_for_charts(page):
    """Until every chart of the page is drawn."""
    for box in page.locator("[data-figure]").all():
        box.and_(page.locator("[data-drawn=true]")).wait_for()


def tab_to(page, selector, text=None, *, most=250):
    """Press Tab until what is meant has the focus, as somebody without a mouse does."""
    for _ in range(most):
        page.keyboard.press("Tab")
        reached = page.evaluate(
            """([selector, text]) => {
                const here = document.activeElement;
                return here.matches(selector) && (text === null || here.textContent.trim() === text);
            }""",
            [selector, text],
        )
        if reached:
            return
    raise AssertionError(f"Tab does not reach {selector} {text or ''}".strip())
