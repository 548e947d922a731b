"""What the browser tests do again and again."""

WIDE, NARROW = 1280, 390
LOOKS = [(WIDE, "light"), (NARROW, "dark")]  # `faults` looks at the other scheme of each too


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


def explore_charts(page):
    """Touches every chart of the page, until the library has drawn it."""
    for box in page.locator("[data-figure]").all():
        box.dispatch_event("click")
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


def _out_of_sight(page):
    """On a phone: tables that scroll sideways, so that they do not show the number that they are about."""
    if page.viewport_size["width"] > NARROW:
        return []
    return page.evaluate(
        """() => {
            const closed = [...document.querySelectorAll("details:not([open], .menu)")];
            closed.forEach((details) => { details.open = true; });
            const wide = [...document.querySelectorAll(".table-wrap")]
                .filter((region) => region.scrollWidth > region.clientWidth + 1)
                .map((region) => `${region.scrollWidth} px of table in ${region.clientWidth}: ${region.ariaLabel}`);
            closed.forEach((details) => { details.open = false; });
            return wide;
        }"""
    )


def faults(page, violations, path=None):
    """What is wrong with a page in either scheme, and with its width; no `path`: the page as it is."""
    if path is not None:
        page.goto(path)
    wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    found = [f"{page.url}: {wider} px too wide"] if wider > 0 else []
    found += [f"{page.url}: {line}" for line in [*violations(page), *_out_of_sight(page)]]
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    this, other = ("dark", "light") if is_dark else ("light", "dark")
    page.emulate_media(color_scheme=other)
    found += [f"{page.url}, {other}: {line}" for line in violations(page, colours=True)]
    page.emulate_media(color_scheme=this)
    return found
