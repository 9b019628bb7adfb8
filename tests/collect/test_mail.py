"""Mailboxes of every kind, whole and broken."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coterie.collect import read_mail
from coterie.collect.mail import looks_like_mail
from coterie.collect.message import addresses, decode_header, parse_message
from coterie.core.errors import DataError

SEPARATOR = b"From ann@example.org Mon Jan  6 10:00:00 2020\n"


def message(
    subject: str = "Hello", body: str | bytes = "Some words.\n", number: int = 1, **headers: str
) -> bytes:
    lines = {
        "From": "Ann <ann@example.org>",
        "To": "bob@example.org",
        "Subject": subject,
        "Message-ID": f"<{number}@example.org>",
    }
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    top = "".join(f"{name}: {value}\n" for name, value in lines.items() if value).encode(
        "utf-8", "surrogateescape"
    )
    return top + b"\n" + (body.encode() if isinstance(body, str) else body)


def mbox(path: Path, *messages: bytes) -> Path:
    path.write_bytes(b"".join(SEPARATOR + m + b"\n" for m in messages))
    return path


def one(raw: bytes) -> tuple[str, str]:
    mail = parse_message(raw)
    assert mail is not None
    return mail.subject, mail.body


def test_an_mbox_gives_text_links_and_cards(tmp_path: Path) -> None:
    date = "Mon, 6 Jan 2020 10:00:00 +0100"
    c = read_mail(
        mbox(
            tmp_path / "box.mbox",
            message(
                "Lunch plan",
                "Pizza or pasta today?\n",
                1,
                Date=date,
                Cc='"Doe, Jo" <JO+x@Example.ORG>',
            ),
            message(
                "Re: Lunch plan",
                "Pasta.\n> Pizza or pasta today?\n",
                2,
                From="bob@example.org",
                To="Ann <ann@example.org>",
            ),
        )
    )
    assert c.ids == ("1@example.org", "2@example.org")
    assert c.name == "box"
    assert list(c.view("text")) == [
        "Lunch plan\n\nPizza or pasta today?",
        "Re: Lunch plan\n\nPasta.",
    ]
    assert set(c.links) == {
        ("members", "words"),
        ("members", "correspondents"),
        ("members", "subject words"),
    }
    people = c.links[("members", "correspondents")]
    assert list(people.cols) == ["ann@example.org", "bob@example.org", "jo+x@example.org"]
    assert people.counts.toarray().tolist() == [[1, 1, 1], [1, 1, 0]]
    assert list(c.links[("members", "subject words")].cols) == ["lunch", "plan"]
    assert list(c.links[("members", "words")].cols) == ["pasta", "pizza", "today"]
    assert c.cards["date"][0] == "2020-01-06 10:00"
    assert list(c.cards["sender"]) == ["ann@example.org", "bob@example.org"]
    assert not c.truth


def test_missing_and_repeated_message_ids_are_called_by_place(tmp_path: Path) -> None:
    c = read_mail(
        mbox(
            tmp_path / "m.mbox",
            message("a", number=7),
            message("b", number=7),
            message("c", Message_ID=""),
            message("d", number=8),
        )
    )
    assert c.ids == ("message 1", "message 2", "message 3", "8@example.org")
    assert any("3 messages" in note for note in c.notes)


def test_a_message_id_that_looks_like_a_place_does_not_collide(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(message("a", Message_ID=""))
    (tmp_path / "b.eml").write_bytes(message("b", Message_ID="<a.eml>"))
    assert read_mail(tmp_path).ids == ("a.eml'", "a.eml")


def test_a_broken_message_in_the_middle_loses_only_itself(tmp_path: Path) -> None:
    broken = b"\x00\xff\xfe not a header\nat all\n"
    c = read_mail(
        mbox(tmp_path / "m.mbox", message("first", number=1), broken, message("last", number=3))
    )
    assert list(c.cards["subject"]) == ["first", "last"]
    assert any("1 message was left out" in note and "message 2" in note for note in c.notes)


def test_from_lines_in_a_body_do_not_split(tmp_path: Path) -> None:
    body = "Dear Bob,\n\nFrom here on all is well.\n>From the start it was.\n"
    c = read_mail(mbox(tmp_path / "m.mbox", message("a", body, 1), message("b", number=2)))
    assert len(c) == 2
    assert "From here on" in c.view("text")[0]
    assert "\nFrom the start" in c.view("text")[0]


def test_a_truncated_message_without_a_blank_line_does_not_swallow_the_next(tmp_path: Path) -> None:
    file = tmp_path / "m.mbox"
    file.write_bytes(
        SEPARATOR + message("a", "cut off here\n") + SEPARATOR + message("b", number=2)
    )
    assert list(read_mail(file).cards["subject"]) == ["a", "b"]


def test_windows_line_ends(tmp_path: Path) -> None:
    file = mbox(tmp_path / "m.mbox", message("a", number=1), message("b", "x\n> y\n", number=2))
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert list(read_mail(file).view("text")) == ["a\n\nSome words.", "b\n\nx"]


def test_a_maildir_with_sub_folders(tmp_path: Path) -> None:
    for folder in ("cur", "new", "tmp", ".Sent/cur", ".Sent/new", ".Sent/tmp"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "cur" / "1:2,S").write_bytes(message("read", number=1))
    (tmp_path / "new" / "2").write_bytes(message("unread", number=2))
    (tmp_path / "tmp" / "3").write_bytes(message("arriving", number=3))
    (tmp_path / ".Sent" / "cur" / "4").write_bytes(message("sent", number=4))
    assert looks_like_mail(tmp_path)
    c = read_mail(tmp_path)
    assert dict(zip(c.cards["subject"], c.truth["folder"], strict=True)) == {
        "read": "inbox",
        "unread": "inbox",
        "sent": "Sent",
    }


def test_a_folder_of_messages_has_its_sub_folders_as_truth(tmp_path: Path) -> None:
    for at, folder in enumerate(("work", "work/deep", "home")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{at}.eml").write_bytes(message(f"s{at}", Message_ID=""))
    (tmp_path / "work" / "picture.jpg").write_bytes(b"\xff\xd8\xff")
    assert looks_like_mail(tmp_path)
    c = read_mail(tmp_path)
    assert list(c.ids) == ["home/2.eml", "work/0.eml", "work/deep/1.eml"]
    assert c.truth["folder"].tolist() == ["home", "work", "work"]
    assert any("picture.jpg" in note for note in c.notes)


def test_a_folder_of_mailboxes_and_of_messages_without_suffix(tmp_path: Path) -> None:
    mbox(tmp_path / "Inbox", message("a", number=1))
    mbox(tmp_path / "Sent", message("b", number=2))
    (tmp_path / "17").write_bytes(message("c", number=3))
    assert looks_like_mail(tmp_path)
    c = read_mail(tmp_path)
    assert dict(zip(c.cards["subject"], c.truth["folder"], strict=True)) == {
        "a": "Inbox",
        "b": "Sent",
        "c": ".",
    }


def test_what_does_not_look_like_mail(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("From the hills: a tale\n\nof woe")
    (tmp_path / "b").write_text("To be: or not\n")
    assert not looks_like_mail(tmp_path)
    assert not looks_like_mail(tmp_path / "a.txt")
    assert not looks_like_mail(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert not looks_like_mail(tmp_path / "empty")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"no mail here\n", SEPARATOR])
def test_an_empty_mailbox_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.mbox"
    file.write_bytes(content)
    assert looks_like_mail(file)
    with pytest.raises(DataError, match=r"no readable mail in 'm\.mbox'"):
        read_mail(file)


def test_no_such_file_and_no_words(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file or folder"):
        read_mail(tmp_path / "nowhere")
    c = read_mail(mbox(tmp_path / "m.mbox", message("", "", 1, Subject=""), message("b", number=2)))
    assert len(c) == 1
    assert any("neither a subject nor a text" in note for note in c.notes)


def test_nested_multipart_takes_plain_text_and_names_attachments() -> None:
    image = base64.b64encode(b"\x89PNG").decode()
    body = (
        "--out\nContent-Type: multipart/alternative; boundary=in\n\n"
        "--in\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nCaf=C3=A9 at noon\n"
        "--in\nContent-Type: text/html\n\n<p>HTML twin</p>\n--in--\n"
        f"--out\nContent-Type: image/png; name=cat.png\nContent-Transfer-Encoding: base64\n\n{image}\n"
        "--out\nContent-Disposition: attachment; filename*=utf-8''n%C3%B6te.txt\nContent-Type: text/plain\n\nnot part of it\n"
        "--out\nContent-Type: message/rfc822\n\nSubject: inner one\nFrom: x@y.z\n\ninner body\n--out--\n"
    )
    mail = parse_message(
        message("s", body, MIME_Version="1.0", Content_Type="multipart/mixed; boundary=out")
    )
    assert mail is not None
    assert mail.body == "Café at noon"
    assert mail.attachments == ("cat.png", "nöte.txt", "inner one")


def test_html_only_is_stripped_and_its_quotation_removed() -> None:
    html = "<html><p>Yes &amp; no</p><div>On 3 May 2020, Bob wrote:</div><blockquote>old<br>words</blockquote></html>"
    assert one(message("s", html, Content_Type="text/html")) == ("s", "Yes & no")


@pytest.mark.parametrize(
    ("body", "headers", "expected"),
    [
        (b"caf\xe9", {"Content_Type": "text/plain; charset=utf-8"}, "café"),
        (b"caf\xc3\xa9", {"Content_Type": "text/plain; charset=us-ascii"}, "café"),
        (b"caf\xc3\xa9", {"Content_Type": "text/plain; charset=no-such-thing"}, "café"),
        (b"caf\xe9", {}, "café"),
        (b"plain words", {"Content_Type": "multipart/mixed"}, "plain words"),
        (
            b"--x\nContent-Type: text/plain\n\nwords",
            {"Content_Type": 'multipart/mixed; boundary="y"'},
            "words",
        ),
        (b"words", {"Content_Type": ";;;==/"}, "words"),
        (b"words", {"Content_Transfer_Encoding": "nonsense"}, "words"),
        (b"w=ZZrds=", {"Content_Transfer_Encoding": "quoted-printable"}, "w=ZZrds"),
    ],
)
def test_wrong_charsets_and_broken_mime_still_give_words(
    body: bytes, headers: dict[str, str], expected: str
) -> None:
    assert one(message("s", body, **headers)) == ("s", expected)


def test_base64_garbage_is_no_text_but_the_message_stays() -> None:
    garbage = base64.b64encode(bytes(range(256)) * 4)
    assert one(message("kept", garbage, Content_Transfer_Encoding="base64")) == ("kept", "")
    assert (
        one(message("kept", "!!! @@@ not base64 %%%", Content_Transfer_Encoding="base64"))[0]
        == "kept"
    )


def test_hopelessly_deep_nesting_is_survived() -> None:
    raw = b"From: a@b.c\nSubject: deep\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(3000)
    )
    assert parse_message(raw) is None or one(raw)[0] == "deep"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("=?utf-8?B?Q2Fmw6k=?= =?utf-8?q?_bar?=", "Café bar"),
        ("=?iso-8859-1?q?J=F6rg?= Smith", "Jörg Smith"),
        ("=?utf-8?B?8J+Y?= =?utf-8?B?gA==?=", "😀"),
        ("a =?utf-8?q?b?= c =?utf-8?q?d?=", "a b c d"),
        ("=?x-none?q?caf=C3=A9?=", "café"),
        ("=?utf-8?B?Q?= left", "Q left"),
        ("=?broken", "=?broken"),
        ("folded\n\t line", "folded line"),
        ("", ""),
    ],
)
def test_encoded_headers(value: str, expected: str) -> None:
    assert decode_header(value) == expected


def test_raw_8_bit_headers() -> None:
    for encoding in ("utf-8", "cp1252"):
        raw = b"From: J\xc3\xb6rg <j@x.de>\n" + "Subject: Größe\n\nok".encode(encoding)
        mail = parse_message(raw)
        assert mail is not None
        assert (mail.subject, mail.correspondents) == ("Größe", ("j@x.de",))


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ('"Smith, Ann" <Ann.Smith@X.org>, bob@x.org', ["ann.smith@x.org", "bob@x.org"]),
        ("mailto:Bob+tag@X.org", ["bob+tag@x.org"]),
        ("'ann@x.org'", ["ann@x.org"]),
        ('"fake@y.org" <real@x.org> (other@z.org)', ["real@x.org"]),
        ("A <a@x.org>; B <A@X.ORG>", ["a@x.org"]),
        ("root", ["root"]),
        ('"only@quoted.org"', ["only@quoted.org"]),
        ("undisclosed-recipients:;", []),
        ("<<<>>>,,@", []),
    ],
)
def test_addresses(header: str, expected: list[str]) -> None:
    assert addresses(header) == expected


def test_no_body_words_in_common_still_gives_a_collection(tmp_path: Path) -> None:
    file = tmp_path / "one.eml"
    file.write_bytes(message("Only subject", "123"))
    c = read_mail(file)
    assert len(c) == 1
    assert ("members", "words") not in c.links
    assert looks_like_mail(file)


def test_entities_are_read_as_what_they_mean(tmp_path: Path) -> None:
    file = tmp_path / "one.eml"
    file.write_bytes(
        message(
            "Plain",
            "tea&nbsp;and&nbsp\ncake&#8217;s R&amp;D http://x.org/?a=1&copy=2 &unknown; AT&T",
        )
    )
    text = read_mail(file).view("text")[0]  # type: ignore[index]
    assert "tea and\ncake\u2019s R&D http://x.org/?a=1&copy=2 &unknown; AT&T" in text
    html = (
        b"From: a@b.c\nSubject: s\nContent-Type: text/html\n\n<p>one&nbsp;two &amp;nbsp; three</p>"
    )
    file.write_bytes(html)
    assert "nbsp" not in read_mail(file).view("text")[0]  # type: ignore[index]


ANY_MAIL = st.one_of(
    st.binary(max_size=300),
    st.builds(
        lambda top, body: b"From: a@b.c\nSubject: " + top + b"\n\n" + body,
        st.binary(max_size=60),
        st.binary(max_size=200),
    ),
    st.builds(
        lambda kind, body: (
            b"From: a@b.c\nContent-Type: "
            + kind
            + b"\nContent-Transfer-Encoding: base64\n\n"
            + body
        ),
        st.sampled_from(
            [
                b"multipart/mixed; boundary=x",
                b"text/html",
                b"message/rfc822",
                b"text/plain; charset=utf-16",
            ]
        )
        | st.binary(max_size=30),
        st.lists(
            st.sampled_from(
                [
                    b"--x\n",
                    b"--x--\n",
                    b"\n",
                    b"Content-Type: text/plain\n",
                    b"<p>",
                    b"AAAA",
                    b"=?a?b?c?=",
                ]
            )
        ).map(b"".join),
    ),
)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(raw=ANY_MAIL)
def test_any_bytes_are_a_collection_or_one_sentence(raw: bytes, tmp_path: Path) -> None:
    for name in ("any.eml", "any.mbox"):
        file = tmp_path / name
        file.write_bytes(raw if name == "any.eml" else SEPARATOR + raw)
        looks_like_mail(file)
        try:
            c = read_mail(file)
        except DataError:
            continue
        assert len(c) >= 1
        repr((c.ids, list(c.view("text")), c.cards)).encode("utf-8")
        "".join(
            [*c.ids, *c.view("text"), *(v for column in c.cards.values() for v in column)]
        ).encode("utf-8")


def test_one_person_with_many_addresses_is_one_correspondent(tmp_path: Path) -> None:
    box = mbox(
        tmp_path / "m.mbox",
        message("a", number=1, From="Ann Hill <ann@x.org>", To="undisclosed-recipients:;"),
        message(
            "b",
            number=2,
            From='"Hill, Ann" <ann+dated+1.2@x.org>',
            To="Ann HILL <ah@y.org>",
            Bcc="secret@z.org",
        ),
        message("c", number=3, From="ann@x.org", To="bob@x.org"),
    )
    people = read_mail(box).links["members", "correspondents"]
    assert list(people.cols) == ["ann@x.org", "bob@x.org", "secret@z.org"]
    assert people.counts.toarray().tolist() == [[1, 0, 0], [1, 0, 1], [1, 1, 0]]
    assert any("5 addresses are those of 3 correspondents" in note for note in read_mail(box).notes)
    assert list(read_mail(box).cards["addresses"]) == [
        "",
        "ann+dated+1.2@x.org = ann@x.org, ah@y.org = ann@x.org",
        "",
    ]
    apart = read_mail(box, merge=False)
    assert "addresses" not in apart.cards
    assert len(apart.links["members", "correspondents"].cols) == 5
    assert not any("correspondents" in note for note in apart.notes)


def test_addresses_of_lists_can_be_left_out(tmp_path: Path) -> None:
    box = mbox(
        tmp_path / "m.mbox",
        message("a", To="tea@lists.org, bob@x.org", List_Post="<mailto:tea@lists.org>"),
    )
    assert "tea@lists.org" in read_mail(box).links["members", "correspondents"].cols
    assert list(read_mail(box, lists=False).links["members", "correspondents"].cols) == [
        "ann@example.org",
        "bob@x.org",
    ]


def test_encoded_lines_are_no_words(tmp_path: Path) -> None:
    body = "See the picture\n" + "M" + "QWxsIHdvcmRz" * 5 + "\n" + "<b>bold</b> claim\n"
    c = read_mail(mbox(tmp_path / "m.mbox", message("a", body)))
    assert list(c.links["members", "words"].cols) == ["bold", "claim", "picture", "see"]
    assert "QWxsIHdvcmRz" in c.view("text")[0]  # type: ignore[index]
