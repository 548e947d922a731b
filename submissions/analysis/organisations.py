"""Which organisation an email address belongs to, as far as an address shows it."""

# Anybody gets an address there: such an address is an organisation of its own.
_PUBLIC_MAIL = """
    gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com
    rocketmail.com aol.com icloud.com me.com mac.com proton.me protonmail.com pm.me gmx.com gmx.net
    gmx.de gmx.at gmx.ch web.de mail.com fastmail.com zoho.com yandex.com yandex.ru mail.ru list.ru
    bk.ru inbox.ru rambler.ru qq.com foxmail.com 163.com 126.com sina.com naver.com daum.net
    hanmail.net rediffmail.com tutanota.com tuta.io hey.com posteo.de mailbox.org disroot.org
    riseup.net orange.fr free.fr laposte.net wanadoo.fr libero.it t-online.de freenet.de seznam.cz
    wp.pl o2.pl onet.pl interia.pl comcast.net verizon.net att.net sbcglobal.net cox.net
    btinternet.com
"""
PUBLIC_MAIL = frozenset(_PUBLIC_MAIL.split())
_ALIASES = {"googlemail.com": "gmail.com", "protonmail.com": "proton.me", "pm.me": "proton.me"}
_NO_DOTS = "gmail.com"  # its addresses are the same with and without dots
_LONGEST_SECOND_LEVEL = 3  # co.uk, com.au, ac.jp


def organisation_of(address: str) -> str:
    """The registered domain of an address; of a public mail provider the mailbox itself.

    A subdomain belongs to its domain. Two domains of one owner look like two organisations.
    """
    mailbox, _, domain = address.strip().lower().rpartition("@")
    domain = domain.rstrip(".")
    domain = _ALIASES.get(domain, domain)
    if domain not in PUBLIC_MAIL:
        return _registered(domain)
    mailbox = mailbox.partition("+")[0]
    return f"{mailbox.replace('.', '') if domain == _NO_DOTS else mailbox}@{domain}"


def _registered(domain: str) -> str:
    """ "bench.example.co.uk" -> "example.co.uk"; without a list of suffixes, so a short one may join too many."""
    labels = domain.split(".")
    is_two_part = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= _LONGEST_SECOND_LEVEL
    return ".".join(labels[-3:] if is_two_part else labels[-2:])
