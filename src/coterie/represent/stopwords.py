"""English words that carry grammar and little meaning: articles, pronouns, prepositions, auxiliaries, bits of contractions."""

from __future__ import annotations

_WORDS = """
    a an the this that these those such same other another each every either neither both all any some none few many
    several much more most less least own enough

    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one ones oneself who whom whose which what whoever whatever
    someone somebody something anyone anybody anything everyone everybody everything nobody nothing

    about above across after against along among around as at before behind below beneath beside besides between beyond
    by despite down during except for from in inside into like near of off on onto out outside over past per since
    than through throughout till to toward towards under underneath until unto up upon via with within without

    and but or nor so yet if unless because although though while whereas whether else

    am is are was were be been being do does did doing done have has had having can could may might must shall should
    will would ought cannot

    not no never ever always often sometimes usually already almost also again away back even here there where when why how
    then thus hence therefore however too very just only quite rather still soon now once perhaps maybe

    s t d m ll re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn mustn ain
"""
ENGLISH = frozenset(_WORDS.split())
