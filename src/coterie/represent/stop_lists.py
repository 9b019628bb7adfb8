"""Stop lists of several languages: words that carry grammar and little meaning, written for this house; and lists put together.

They hold articles, pronouns, prepositions, conjunctions, auxiliaries and the most usual adverbs, as runs of letters in lower
case (so that "l'" of French is "l"). They are short on purpose: whoever needs more adds to them.
"""

from __future__ import annotations

from coterie.core.errors import ParameterError
from coterie.represent.stopwords import ENGLISH

_GERMAN = """
    der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines dieser diese dieses diesen
    diesem jener jene jenes jeder jede jedes jeden jedem alle allen aller alles manche mancher solche solcher welche
    welcher welches
    ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihn ihnen mein meine meinen meinem meiner dein deine
    deinen deinem
    sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere unseren unserem euer eure man wer was wen wem wessen
    und oder aber denn sondern doch weil dass daß wenn ob als wie obwohl damit während bevor nachdem bis sowie sowohl
    weder noch
    in im an am auf aus bei beim mit nach von vom vor zu zum zur für durch gegen ohne um über unter hinter neben zwischen seit
    bin bist ist sind seid war warst waren wart sei wäre wären gewesen habe hast hat haben habt hatte hatten hätte hätten
    gehabt
    werde wirst wird werden werdet wurde wurden würde würden worden kann kannst können könnte konnte konnten muss müssen
    musste
    soll sollen sollte will wollen wollte darf dürfen mag möchte
    nicht nichts auch nur schon noch sehr mehr so da dort hier dann nun jetzt immer wieder etwas eben ja nein wo wohin
    woher warum
"""
_FRENCH = """
    le la les l un une des du de d au aux ce cet cette ces c ça cela ceci mon ma mes ton ta tes son sa ses notre nos votre
    vos leur
    leurs quel quelle quels quelles chaque tout toute tous toutes aucun aucune quelque quelques plusieurs même mêmes autre
    autres
    je j tu il elle on nous vous ils elles me m te t se s lui eux moi toi soi y en qui que qu quoi dont où lequel laquelle
    lesquels
    et ou mais donc or ni car si comme quand lorsque puisque parce afin tandis
    à dans par pour sur sous avec sans chez vers entre contre depuis pendant avant après jusque jusqu dès hors selon parmi
    suis es est sommes êtes sont étais était étions étaient fut furent sera seront serait seraient soit été étant être
    ai as a avons avez ont avais avait avaient eut aura auront aurait auraient ait eu ayant avoir
    fait faire peut peuvent doit doivent
    ne n pas plus moins très bien aussi encore déjà toujours jamais trop peu ici là alors ainsi puis oui non
"""
_SPANISH = """
    el la los las lo un una unos unas al del este esta estos estas ese esa esos esas aquel aquella aquellos aquellas esto eso
    mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro vuestra cada todo toda todos todas otro otra otros
    otras mismo misma
    algún alguno alguna algunos algunas ningún ninguno ninguna mucho mucha muchos muchas poco poca pocos tanto
    yo tú él ella ello nosotros vosotros ellos ellas usted ustedes me te se nos os le les mí ti sí que qué quien quién
    cual cuál cuyo
    y e o u pero sino ni porque pues aunque si como cuando donde mientras
    a ante bajo con contra de desde durante en entre hacia hasta para por según sin sobre tras
    soy eres es somos son era eras éramos eran fue fueron ser será serán sería sido siendo estoy está están estaba estaban
    estar
    he has ha hemos han había habían haber hay haya hubo tengo tiene tienen tenía tener puede pueden
    no más menos muy ya también tampoco así aún todavía siempre nunca aquí allí ahora entonces después antes bien
"""
_ITALIAN = """
    il lo la i gli le l un uno una del dello della dei degli delle dell al allo alla ai agli alle all dal dallo dalla dai
    dagli dalle
    nel nello nella nei negli nelle nell sul sullo sulla sui sugli sulle sull questo questa questi queste quello quella
    quelli quelle
    quel quei mio mia miei mie tuo tua suo sua suoi sue nostro nostra vostro vostra loro ogni tutto tutta tutti tutte
    altro altra altri
    altre stesso stessa alcuni alcune qualche nessuno nessuna molto molta molti molte poco
    io tu lui lei egli ella esso essa noi voi essi mi ti si ci vi ne me te sé che chi cui quale quali
    e ed o ma però perché se come quando mentre dove né anche sia dunque quindi
    a ad da di d in con su per tra fra senza sotto sopra verso contro durante dopo prima fino
    sono sei è siamo siete era erano fu furono sarà saranno sarebbe essere stato stata stati ho hai ha abbiamo avete hanno
    aveva avevano
    avere avuto può possono deve devono
    non più meno molto già ancora sempre mai così qui qua là lì poi ora allora bene solo
"""
_DUTCH = """
    de het een der des dit dat deze die zulke elk elke ieder iedere alle alles andere ander zelfde enkele geen veel weinig
    meer meest
    ik jij je u hij zij ze wij we jullie mij me jou hem haar ons hen hun mijn jouw uw zijn onze wie wat welke welk men
    zich zelf iets
    iemand niets niemand
    en of maar want dus noch omdat als toen terwijl hoewel indien zodat dan
    aan achter bij binnen boven buiten door in langs met na naar naast om onder op over per sinds te ten ter tegen tot
    tussen uit van
    vanaf via voor voorbij zonder
    ben bent is was waren geweest wezen heb hebt heeft hebben had hadden gehad word wordt worden werd werden geworden kan
    kunnen kon
    konden moet moeten moest mag mogen zal zullen zou zouden wil willen wilde
    niet ook nog al er hier daar waar nu toen zo zeer heel wel weer altijd nooit reeds steeds hoe waarom ja nee
"""
_PORTUGUESE = """
    o a os as um uma uns umas do da dos das no na nos nas ao à aos às pelo pela pelos pelas num numa este esta estes estas
    esse essa
    esses essas aquele aquela aqueles aquelas isto isso aquilo meu minha meus minhas teu tua seu sua seus suas nosso nossa
    nossos nossas
    cada todo toda todos todas outro outra outros outras mesmo mesma algum alguma alguns algumas nenhum nenhuma muito
    muita muitos muitas
    eu tu ele ela nós vós eles elas você vocês me te se lhe lhes mim ti si que quem qual quais cujo cuja
    e ou mas nem porque pois embora se como quando onde enquanto
    de em por para com sem sob sobre entre até desde contra após durante perante
    sou és é somos são era eram foi foram ser será seria sido sendo estou está estão estava estavam estar tenho tem têm
    tinha tinham ter
    há havia haver pode podem deve devem
    não mais menos muito já também ainda sempre nunca aqui ali lá agora então depois antes assim bem só
"""
_SWEDISH = """
    en ett den det de denna detta dessa någon något några ingen inget inga varje alla allt annan annat andra samma sådan
    många mycket
    jag du han hon vi ni mig dig honom henne oss er dem min mitt mina din ditt dina sin sitt sina hans hennes vår vårt
    våra deras
    man sig själv vem vad vilken vilket vilka som vars
    och eller men utan för att om när medan eftersom därför så än både varken
    i på av till från med vid under över genom mellan mot hos efter före inom utom bland kring
    är var vara varit blir bli blev blivit har hade ha haft kan kunde ska skall skulle vill ville måste får fick
    inte ej också bara redan ännu alltid aldrig här där nu då sedan igen mer mest mycket hur varför ja nej
"""

STOP_LISTS: dict[str, frozenset[str]] = {
    "english": ENGLISH,
    "german": frozenset(_GERMAN.split()),
    "french": frozenset(_FRENCH.split()),
    "spanish": frozenset(_SPANISH.split()),
    "italian": frozenset(_ITALIAN.split()),
    "dutch": frozenset(_DUTCH.split()),
    "portuguese": frozenset(_PORTUGUESE.split()),
    "swedish": frozenset(_SWEDISH.split()),
}


def stop_list(*languages: str) -> frozenset[str]:
    """The stop words of one or more languages as one set, to which words of your own can be added with `|`.

    >>> sorted(stop_list("german", "english") & {"und", "and", "der", "cat"})
    ['and', 'der', 'und']
    """
    for language in languages:
        if language not in STOP_LISTS:
            raise ParameterError(
                f"There is no stop list '{language}'; there are {', '.join(STOP_LISTS)}."
            )
    return frozenset().union(*(STOP_LISTS[language] for language in languages))
