"""Errors that textbooks of English warn of: words often written instead of a word, or of two; in
lower case.

The tables were written by hand and not taken from a corpus, so they contain examples and no
frequencies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable


def _by_word(lines: str) -> dict[str, tuple[str, ...]]:
    """Entries separated by semicolons: a word, a colon, and the texts written for it, separated by
    commas.
    """
    entries = (
        entry.partition(":")
        for line in lines.splitlines()
        for entry in line.split(";")
        if entry.strip()
    )
    return {
        word.strip(): tuple(text.strip() for text in texts.split(",")) for word, _, texts in entries
    }


def _exchanged(groups: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Each word of a group with the others of all its groups."""
    others: dict[str, dict[str, None]] = defaultdict(dict)
    for group in groups:
        words = group.split()
        for word in words:
            others[word] |= dict.fromkeys(other for other in words if other != word)
    return {word: tuple(texts) for word, texts in others.items()}


def _in_all_forms(lines: str) -> dict[str, tuple[str, ...]]:
    """Entries as those of `_by_word`, of several forms of a word, each with the words that are
    written after it.
    """
    return {
        form: tuple(f"{form} {text}" for text in texts)
        for forms, texts in _by_word(lines).items()
        for form in forms.split()
    }


def _followed(lines: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """Entries of several words and a last one that follows each of them, with the words written
    instead of it, "-" for none.
    """
    return {
        (form, right): tuple(form if text == "-" else f"{form} {text}" for text in texts)
        for words, texts in _by_word(lines).items()
        for *forms, right in [words.split()]
        for form in forms
    }


PREPOSITIONS_FOR = _by_word("""
    in: on, at, to, into, of, for, by; on: in, at, of, to, about, for; at: in, on, to, for, of
    to: for, at, in, of, with, into, too; for: to, of, during, since, from, about; of: from, in, about, for, on, with, by, off
    with: of, by, for, to, from, about, in; by: with, from, of, for, in; from: of, by, since, in, at, for
    about: of, for, on, with, at; into: in, to, on, at; during: in, for, at, while, along; since: from, for, in, after
    until: to, till, by, since; through: by, across, in, along; between: among, from, in; among: between, in, of
    over: on, above, in, about; under: below, in, on; without: with no, out of; after: since, behind, in
    before: ago, in front of, for; against: to, with, of, for; towards: to, for, at; within: in, for
    across: through, over, in; around: about, in, over; upon: on, in, at; toward: to, for, at; above: over, up, on
    near: next, near to; off: of, from, out; along: in, by, during; behind: after, back; beside: besides, near
    despite: despite of, although; up: out, on, to; down: off, on; out: off, of, from; onto: on, to; except: unless, besides
    like: as, such as, likes
""")

CONFUSIONS = _exchanged(
    """
    there their|then than|affect effect|lose loose|much many|fewer less|say tell|says tells|said told|do make
    does makes|did made|doing making|done made|quite quiet|advice advise|weather whether|which who|which what|who whom
    who whose|whose who's|this these|that those|this that|these those|he him|she her|we us|they them|my mine|your yours
    her hers|our ours|their theirs|other another|other others|some any|something anything|somebody anybody|someone anyone
    everything anything|everybody anybody|no not|never ever|learn teach|learned taught|borrow lend|bring take|brought took
    remember remind|rise raise|rose raised|lie lay|hear listen|heard listened|see look|see watch|saw looked|look watch
    watched saw|know meet|knew met|job work|travel trip|travel journey|fun funny|economic economical|historic historical
    sensible sensitive|few little|every each|such so|so very|very much|too very|very really|still yet|already yet|also too
    if whether|while during|ago before|although despite|hard hardly|late lately|near nearly|good well
    bad badly|real really|complete completely|easy easily|quick quickly|near next|interested interesting|bored boring
    excited exciting|tired tiring|surprised surprising|confused confusing|disappointed disappointing|different difference
    important importance|difficult difficulty|success successful|success succeed|safe safety|health healthy|beauty beautiful
    confident confidence|possible possibility|necessary necessity|true truth|free freedom|strong strength|long length
    high height|deep depth|wide width|dead died|dead death|die dead|choose choice|choose chose|live life|lives life
    believe belief|prove proof|practice practise|succeed success|think thought|feel feeling|grow growth|lose loss|speech speak
    sell sale|breath breathe|bath bathe|cloth clothes|economy economic|environment environmental|nation national
    science scientific|politics political|music musical|culture cultural|tradition traditional|europe european|england english
    france french|germany german|italy italian|spain spanish|china chinese|america american|angry anger|hungry hunger
    patient patience|silent silence|independent independence|intelligent intelligence|absent absence|convenient convenience
    violent violence|home house|people person|man men|woman women|child children|foot feet|tooth teeth|mouse mice
    people peoples|fell felt|fall feel|fill feel|leave live|left lived|want won't|where were|were we're|were was|where when
    how what|what that|passed past|peace piece|principal principle|accept except|adapt adopt|desert dessert|personal personnel
    stationary stationery|steal steel|break brake|buy by|bye by|hole whole|hour our|knew new|know now|no know|mail male
    meat meet|one won|pair pear|plain plane|right write|right rite|road rode|sail sale|sea see|sight site|some sum|son sun
    tail tale|threw through|through though|thought though|thought taught|wait weight|waist waste|way weigh|weak week
    wear where|wood would|which witch|your you|its it|hope wish|hoped wished|win earn|win beat|arrive reach
    opportunity possibility|chance possibility|suggest recommend|assist attend|attend wait|check control|sympathetic nice
    actual current|actually currently|eventually possibly|last latest|begin began|began begun|become became|come came|run ran
    drink drunk|gone went|gone been|saw seen|did done|took taken|wrote written|spoke spoken|broke broken|chose chosen
    drove driven|forgot forgotten|gave given|ate eaten|shade shadow|cook cooker|high tall|fast quickly
    alone lonely|same similar|usual usually
    """.replace("\n", "|").split("|")
)

WRITTEN_FOR = _by_word("""
    too: to, very, so; off: of
    its: it 's, it is, his; it: he, this, them; their: there, they 're, his, her; your: you 're, you; whose: who 's
    were: where, was; an: a, one; must: have to; can: could; could: can
    should: must, would; will: would, shall, wo; would: will, would to; might: can; may: can, might
    let: let to; make: make to, do; more: most, much; most: more, the most of, almost; almost: most, near
    another: an other, other; everyday: every day; however: but, how ever; maybe: may be; sometimes: some times, sometime
    someone: some one; everyone: every one; everybody: every body; anyone: any one; something: some thing
    everything: every thing; anything: any thing; nothing: no thing; nobody: no body; weekend: week end
    nowadays: now a days, nowaday; myself: my self, me; himself: him self, him; themselves: them self, theirself, them
    today: to day; yourself: your self; without: with out; somewhere: some where; anyway: any way; football: foot ball
    into: in to; cannot: can not; bedroom: bed room; homework: home work, homeworks; although: even though, though but
    because: because of, cause; therefore: so; better: best; best: better; worse: more bad, worst, badder
    worst: worse, most bad; older: elder; biggest: bigger; faster: more fast; longer: more long; further: farther
    less: fewer, lesser
    progress: progresses; work: works; children: childs, childrens, child; men: mans, man
    women: womans, womens, woman; people: peoples, persons; feet: foots; teeth: tooths; mice: mouses; lives: lifes
    wives: wifes; knives: knifes; went: goed, gone; bought: buyed, boughted; taught: teached; caught: catched
    thought: thinked, tought; felt: feeled, felled; ran: runned; told: telled, said; found: finded, founded; came: comed
    knew: knowed; gave: gived; took: taked; made: maked; cost: costed; put: putted; cut: cutted; hit: hitted; chose: choosed
    broke: breaked; met: meeted; sent: sended; spent: spended; lost: losed; left: leaved; paid: payed; slept: sleeped
    kept: keeped; fell: falled; drove: drived; wrote: writed; rode: rided; spoke: speaked; forgot: forgeted; swam: swimmed
    flew: flied; grew: growed; sang: singed; call: call to; called: called to; ask: ask to; asked: asked to; tell: say to
    help: help to; helped: helped to; follow: follow to; meet: meet with
    home: to home, in home; abroad: to abroad, in abroad; here: in here, to here; there: in there, to there, their
    next: on next, in next; outside: outside of; inside: inside of; near: near to, near of; despite: despite of
    together: togethers; each: every, each of; every: each, all; all: every, all of; both: both of; half: the half
    such: so, such as; so: so that, such; when: while, if, where; if: when, if that; how: how much, like
    why: because, for what; who: that, which, whom; which: that, what, wich; that: which, what, who; what: that, which, how
    am: is, are; always: every time, ever; still: yet, always; yet: still, already; only: just, alone; even: also, event
    then: than, after; as: like, how, for; than: that, as; like: likes to, as; want: want that; wants: want to
    used: use, was used; suggest: suggest to; enjoy: enjoy to; stop: stop to; look: look like
""")

UNCOUNTABLE = frozenset(
    """advice information furniture equipment knowledge research news money luggage baggage traffic weather progress behaviour
    behavior homework housework work music food bread rice water air help fun luck health software damage evidence scenery
    transport accommodation electricity pollution violence happiness education""".split()
)
"""Nouns that have no plural and take no *a*."""

BEFORE_GERUND = frozenset(
    """enjoy enjoys enjoyed enjoying finish finishes finished avoid avoids avoided avoiding mind minds minded practise practised
    practice practiced consider considered considering suggest suggests suggested keep keeps kept imagine imagined miss misses
    missed deny denied admit admitted risk risked dislike dislikes disliked quit""".split()
)
"""Verbs after which an -ing form stands, and no infinitive."""

MISTAKES_FOR = {
    **{noun: (f"{noun}s",) for noun in UNCOUNTABLE if not noun.endswith("s")},
    **_by_word("""
    agree: am agree, are agree, to agree; agrees: is agree, is agrees; agreed: was agree; many: much; much: many
    must: must to; can: can to; should: should to; might: might to; may: may to; could: could to
    prefer: am prefer, more prefer; understand: am understand; exist: are exist; exists: is exist; happened: was happened
    died: was died; easier: more easier, more easy; better: more better, more good; worse: more worse; cheaper: more cheaper
    faster: more faster; bigger: more bigger; easiest: most easiest, more easy; best: most best; nicer: more nice
"""),
    **_in_all_forms("""
    discuss discusses discussed discussing: about, on; mention mentions mentioned mentioning: about, to
    answer answers answered answering: to; reach reaches reached reaching: to, in; enter enters entered entering: to, in, into
    contact contacts contacted contacting: with, to; marry marries marrying: with; visit visits visited visiting: to
    join joins joined joining: to, in; attend attends attended attending: to, in; approach approached approaching: to
    emphasize emphasizes emphasized: on; lack lacks lacked: of; request requests requested: for, about
    demand demands demanded: for; consider considers considered considering: about; obey obeys obeyed: to
    resemble resembles resembled: to, with; phone phoned phoning: to; describe describes described: about
    explain explains explained explaining: about; regret regretted: about; accompany accompanied: with
"""),
}
"""Mistakes in words that are rarer than those of `WRITTEN_FOR`, and hardly ever right."""

MISTAKEN_PAIRS = _followed("""
    interested in: on, about, for, with; good bad at: in, on; married engaged to: with; afraid of: from, about, for, to
    similar to: with, as, like; different from: of, than, to, with; famous responsible for: of, by, about; full of: with, by
    proud tired aware capable fond jealous ashamed of: about, with, from; angry satisfied pleased bored with: of, about, for
    surprised shocked by: of, with, about; worried excited about: for, of, with; ready for: to, of; rely relies relied on: in, of
    listen listens listened listening to: -, at, for
    wait waits waited waiting for: -, to, of
    depend depends depended depending dependent on: of, from, in, at; look looks looked looking at: -, to, on, in
    belong belongs belonged to: -, for, with; agree agrees agreed with: -, to, about
    arrive arrives arrived arriving at: to, in, -
    arrive arrives arrived arriving in: to, at, -; talk talks talked talking spoke speak speaks to: -, at
    laugh laughs laughed laughing at: -, of, from; believe believes believed in: on, at, to; pay pays paid for: -, of
    care cares cared about: of, for, on; suffer suffers suffered from: of, by, with; consist consists consisted of: in, from, on
    participate participates participated participating in: to, at, on; succeed succeeded in: to, on; apply applied for: to, -
    spend spends spent on: in, for, at; concentrate focus focused on: in, at, to; dream dreams dreamt dreamed of: with, on
    search searches searched searching for: -, of; ask asked asks for: -, about
    complain complained about: of, for, -
    apologise apologised apologize apologized for: about, of, -; blame blamed for: of, about
    thank thanked for: of, -, about
    congratulate congratulated on: for, of, about; prevent prevents prevented from: of, to
    insist insists insisted on: in, to, for
    divided split into: in, to; translated translate into: in, to; reason for: of, to; solution answer to: of, for
    increase rise decrease in: of, on; interest in: on, about, for; influence effect impact on: in, to, over
    advantage disadvantage of: in, for; need demand for: of, to; difference between: of, among, from; relationship with: to, of
    according to: with, at, -; thanks to: for, of; because of: -, from; instead of: -, from, to; due to: of, for, from
    accustomed to: with, of, at
""")

PHRASES_FOR = {
    tuple(phrase.split()): texts
    for phrase, texts in _by_word("""
    it 's: its, it is is, is; they 're: their, there; you 're: your; who 's: whose; we 're: were; there 's: theres, there are
    i 'm: im, i am am; a lot: alot, lot; at least: atleast; in front: infront; in spite: inspite
    of course: ofcourse, off course; as well: aswell; each other: eachother; thank you: thankyou, thanks you
    every day: everyday; every time: everytime; all right: alright; may be: maybe; no one: noone, no body
    can not: cannot, ca not; in fact: infact; at all: atall; so far: sofar; high school: highschool
    years old: year old, years; let 's: lets, let us to; could have: could of, could had; should have: should of, should had
    would have: would of, would had; might have: might of; must have: must of; there is: there are, it is, is
    there are: there is, it is, are; there was: there were, it was; there were: there was, it were
    have been: have being, am, had been; has been: is, has being; had been: was, have been; such a: a such, so
    so much: so many, too much; too much: too many, so much; how much: how many; so many: so much; too many: too much
    a few: few, a little; a little: little, a few; in order: for
    used to: use to, am used to; going to: gonna, going; want to: want, wanna
    able to: able; ought to: ought; more than: more that, more then; less than: less that; better than: better that
    as soon: so soon; at home: in home, home; on time: in time; at night: in the night, in night; in the: at the, on the
    on the: in the, at the; at the: in the, on the; of the: of, from the; to the: to, at the; for the: for, to the
    all the: all, the all; most of: most, the most of; one of: one from, one; do not: not, no, does not
    does not: do not, not, no; did not: do not, not; is not: are not, not is; are not: is not, not are
    will be: will, would be, is; would be: will be, would; to be: be, being, to; that is: that, that 's is
    it is: is, it, it 's is; is it: it is; are you: you are; is he: he is; is there: there is; do you: you, are you
    did you: you; can you: you can; will you: you will; have you: you have
""").items()
}

MISSPELLINGS_OF = _by_word("""
    because: becouse, becuase, becaus, beacause, becasue; which: wich, whitch, whic; their: thier, ther; friend: freind, frend
    friends: freinds, frends; people: poeple, peaple, pepole; receive: recieve, receve; received: recieved
    believe: belive, beleive; beautiful: beatiful, beautifull, beutiful; definitely: definately, definitly
    tomorrow: tommorow, tommorrow, tomorow; necessary: neccessary, necesary, neccesary; environment: enviroment, enviorment
    government: goverment, governement; separate: seperate; different: diffrent, diferent, differents
    interesting: intresting, interresting; with: whit, wiht; through: throught, trough, thru
    although: altough, althought, allthough; until: untill; really: realy, relly; finally: finaly, finnaly
    especially: expecially, especialy; restaurant: restaurent, resturant, restourant; comfortable: confortable, comfortble
    important: importent, inportant; experience: experince, expirience; probably: probaly, propably
    knowledge: knowlege, knowladge; language: lenguage, langauge, languge; success: sucess, succes
    successful: succesful, sucessful, successfull; business: bussiness, buisness, busines; writing: writting, writeing
    want: whant; what: wath, waht; would: woud, wuold; could: coud, cuold; should: shoud, shuold; foreign: foriegn, foreing
    address: adress; accommodation: accomodation, acommodation; advertisement: advertisment; appointment: apointment
    calendar: calender; disappear: dissapear, disapear; exercise: excercise, exersise; grammar: grammer
    immediately: inmediately, immediatly; independent: independant; library: libary, librery
    opportunity: oportunity, opportunaty; possible: posible, possibile; recommend: recomend, reccomend
    responsible: responsable; similar: similiar, simmilar; surprise: suprise, surprize
    together: togheter, togeather, toghether; vegetables: vegtables, vegatables; wednesday: wensday, wednsday
    always: allways, alway; enough: enought, enogh; example: exemple, exampel; usually: usualy, ussually; careful: carefull
    every: evry, evrey; favourite: favorit, favourit; favorite: favorit, favourit; listen: lisen, lissen
    school: shool, scholl; tourist: turist; weird: wierd; height: heigth, hight; strength: strenght; length: lenght
    beginning: begining, beggining; occurred: occured; occasion: ocasion, occassion; decision: desision, decission
    difficult: dificult, diffucult; embarrassed: embarassed; excellent: excelent, exellent; existence: existance
    familiar: familar; guarantee: garantee, guarentee; happened: happend, hapened; knew: new, knewed; maybe: mabye
    minute: minuite; neighbour: neighbor, neigbour; parliament: parlament; particularly: particulary; piece: peice
    pleasure: plesure, pleasur; prefer: preffer; preferred: prefered; privilege: priviledge; professor: proffesor
    psychology: psycology; quiet: quite; rhythm: rythm; science: sience, scince; sincerely: sincerly, sinserely
    speech: speach; stopped: stoped; studying: studing; temperature: temperture; than: then; there: ther, theire
    therefore: therefor; thought: tought, thougt; truly: truely; twelfth: twelth; usual: ussual; villages: vilages
    whether: wether; whole: hole; woman: women; written: writen; yesterday: yestarday; young: yong, younge
    family: familly, familiy; money: mony; country: contry, coutry; countries: contries, countrys
    children: childrens, childen; mother: moter; night: nigth, nite; right: rigth; think: thing, tink; thing: think
    first: frist, fist; world: word, wolrd; year: yaer; very: verry, vary; many: meny; about: abaut, abuot; again: agian, agin
    against: againts
""")
