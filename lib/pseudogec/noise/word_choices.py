"""Words and phrases that learners write because they do not know the right one: near-synonyms,
false friends, rephrasings.

The tables were written by hand and not taken from a corpus, so they contain examples and no
frequencies.
"""

from __future__ import annotations

from collections import defaultdict


def _choices(pairs: str) -> dict[str, tuple[str, ...]]:
    """Right lemma -> the lemmas written for it, from pairs with a slash between."""
    table: dict[str, list[str]] = defaultdict(list)
    for right, _, written in (pair.partition("/") for pair in pairs.split()):
        table[right].append(written.replace("_", " "))
    return {right: tuple(written) for right, written in table.items()}


def _phrases(lines: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    entries = (
        entry.partition(":")
        for line in lines.splitlines()
        for entry in line.split(";")
        if entry.strip()
    )
    return {
        tuple(right.split()): tuple(text.strip() for text in texts.split(","))
        for right, _, texts in entries
    }


NOUNS = _choices("""
    trip/travel travel/trip job/work work/job house/home home/house teacher/professor professor/teacher school/college
    photo/photography customer/client client/customer floor/ground ground/floor desert/dessert story/history history/story
    meal/food food/meal price/cost prize/price cook/cooker advice/council holiday/vacation meeting/reunion mistake/fault
    fault/mistake reason/cause cause/reason shop/store street/road road/street way/road university/college problem/trouble
    trouble/problem library/bookshop lesson/lecture message/massage exam/examination test/exam opinion/point salary/wage
    party/feast birthday/anniversary marriage/wedding wedding/marriage journey/trip dress/cloth clothes/cloths key/clue
    money/cash bill/count result/consequence decision/choice choice/election news/notice knowledge/science fear/scare
    pain/hurt danger/risk weather/time detail/particular friend/colleague picture/image film/movie place/site place/area
    site/place lesson/class boss/chief letter/mail word/speech answer/response question/doubt idea/thought thought/idea
    information/notice town/city city/town country/state land/ground beach/sand sea/ocean forest/wood wood/forest garden/yard
    bridge/pass computer/calculator team/group group/team visit/view dinner/evening lunch/dinner glass/cup cup/glass
    plate/dish dish/plate chair/seat seat/place window/glass door/gate gate/door present/gift gift/present rule/law law/rule
    plan/idea dream/wish chance/opportunity opportunity/chance chance/possibility possibility/opportunity language/tongue
    person/human man/guy woman/lady boy/child girl/woman child/kid children/kids people/persons people/humans
    neighbor/neighborhood hobby/pleasure hope/wish wish/hope experience/practice music/sound sound/noise noise/sound
    voice/sound paper/leaf homework/task task/work progress/advance age/year date/day hour/time minute/moment
    moment/time night/evening evening/night morning/day week/days month/time life/live car/vehicle bus/car train/metro
    plane/flight flight/plane doctor/medic hospital/clinic office/work company/firm business/company thing/stuff part/piece
    piece/part side/part end/final beginning/start start/beginning name/title number/amount amount/number lot/bit
    difference/distinction height/high weight/heavy size/measure help/aid war/fight fight/war accident/incident
    police/policeman student/pupil pupil/student parents/fathers family/relatives wife/woman husband/man situation/condition
    condition/situation effect/affect explanation/reason story/tale game/play play/game matter/problem subject/matter
    sentence/phrase phrase/sentence mind/brain head/brain heart/soul hand/arm foot/leg hair/hairs bag/purse box/case
    suitcase/bag table/desk desk/table shirt/t-shirt shoe/boot coat/jacket river/lake mountain/hill hill/mountain island/land
    snow/ice rain/water sun/sunshine tree/plant flower/plant speech/talk talk/conversation conversation/talk truth/reality
    fact/truth secret/mystery success/victory rest/relax break/pause vacation/holidays ticket/card station/stop
""")

VERBS = _choices("""
    watch/look watch/see look/see hear/listen listen/hear say/tell tell/say say/speak learn/teach teach/learn learn/study
    borrow/lend lend/borrow win/gain win/beat wear/dress wear/carry miss/lose know/learn meet/know remember/remind
    remind/remember bring/take take/bring take/get rise/raise raise/rise lose/miss see/look see/watch visit/attend steal/rob
    hope/wish hope/expect wish/hope expect/hope expect/wait leave/live leave/go live/stay live/leave join/participate
    rent/borrow make/do do/make have/get get/take get/become come/go go/come buy/take give/offer use/apply use/utilize
    need/want want/wish want/need try/prove open/turn_on close/turn_off explain/describe describe/explain discuss/speak
    speak/talk talk/speak ask/demand ask/say answer/reply answer/respond write/do draw/paint read/study study/learn study/read
    travel/go drive/go drive/conduct walk/go run/walk arrive/reach arrive/come reach/arrive return/turn carry/wear catch/take
    improve/increase increase/grow grow/rise create/make build/make repair/fix fix/put cook/boil drink/take eat/take
    play/practice enjoy/like like/love love/like prefer/like understand/know understand/realize notice/realize realize/notice
    decide/choose choose/decide agree/accept accept/agree save/keep keep/hold keep/stay hold/keep spend/pay spend/pass
    pay/spend invite/call call/name organize/prepare prepare/make celebrate/party attend/assist become/get seem/look
    seem/appear appear/seem feel/think mention/say recommend/advise suggest/propose advise/recommend complain/claim
    suffer/feel cause/make introduce/present share/divide receive/take receive/get send/give stay/rest stay/live
    follow/continue continue/follow stop/finish finish/end start/open begin/start end/finish happen/pass happen/occur
    find/search find/meet search/look think/believe think/mean believe/think mean/want help/assist work/do move/go turn/change
    change/turn change/exchange break/destroy cut/break fall/drop drop/fall put/set set/put sit/stay stand/stay show/present
    show/tell wait/expect worry/care care/worry sleep/rest wake/get_up allow/let let/allow let/leave force/make refuse/deny
    deny/refuse promise/say lie/lay forget/leave forgive/excuse thank/appreciate smile/laugh laugh/smile cry/shout shout/cry
    hurt/damage damage/hurt hide/cover cover/hide throw/drop pull/push push/pull hit/beat beat/win hate/dislike
    count/calculate cost/pay earn/win own/have belong/own contain/have include/have consider/think imagine/think wonder/ask
    doubt/suspect suppose/think manage/succeed succeed/manage fail/miss pass/go pass/overcome cross/pass enter/come sell/give
    order/ask practice/do train/exercise solve/resolve protect/defend
""")

ADJECTIVES = _choices("""
    heavy/strong strong/heavy strong/powerful tall/high high/tall big/great big/large great/big large/big fun/funny funny/fun
    economic/economical historic/historical quiet/silent famous/popular popular/famous fast/quick wrong/false sick/ill
    expensive/costly expensive/high foreign/stranger comfortable/convenient lonely/alone young/little young/small
    sensitive/sensible sensible/sensitive bad/wrong bad/poor angry/nervous old/ancient new/fresh short/small short/low
    small/little small/short little/small long/tall important/main interesting/interested boring/bored bored/boring
    exciting/excited excited/exciting surprised/surprising tired/tiring useful/practical dangerous/risky safe/secure
    clean/clear clear/clean dirty/messy full/complete empty/free cheap/low poor/low rich/wealthy weak/soft intelligent/clever
    clever/smart smart/clever polite/educated kind/gentle kind/nice nice/good nice/kind good/nice good/great
    friendly/sympathetic serious/grave strange/foreign strange/odd modern/actual special/particular perfect/ideal
    different/other other/different similar/same same/equal necessary/needed possible/probable likely/probable local/near
    busy/occupied noisy/loud loud/strong loud/noisy healthy/sane hungry/angry nervous/worried worried/nervous lazy/slow
    careful/attentive true/real real/true right/correct correct/right sure/certain certain/sure happy/glad glad/happy
    sad/unhappy afraid/scared scared/afraid beautiful/nice beautiful/pretty pretty/beautiful easy/simple simple/easy
    hard/difficult difficult/hard late/last early/soon first/primary last/latest next/following whole/all whole/entire
    several/different many/lots_of main/important own/proper free/available ready/prepared cold/cool cool/cold warm/hot
    hot/warm wet/humid dark/black dead/died alive/live open/opened closed/close strict/severe honest/sincere proud/arrogant
    wonderful/great excellent/great terrible/awful awful/terrible delicious/tasty fresh/new deep/profound wide/large
    wide/broad thin/slim fat/big
""")

ADVERBS = _choices("""
    very/so very/much very/too too/very so/very really/very really/real quite/very still/yet yet/still already/yet
    already/just just/only only/just always/ever always/every_time often/usually often/many_times usually/often
    usually/normally sometimes/some_times never/ever ever/never soon/early now/actually then/after later/after again/more
    also/too too/also even/also maybe/perhaps perhaps/maybe probably/maybe actually/now almost/nearly nearly/almost here/there
    there/here home/to_home together/both well/good fast/quickly quickly/fast hard/hardly late/lately early/soon away/far
    far/long alone/lonely ago/before before/ago recently/lately lately/recently finally/at_last especially/specially
    exactly/just certainly/sure surely/certainly completely/totally totally/completely suddenly/immediately
    immediately/suddenly once/one_time twice/two_times abroad/outside outside/out inside/in instead/besides else/other
    enough/quite much/very anymore/no_more rather/quite easily/easy slowly/slow carefully/careful quietly/quiet loudly/loud
""")

REPHRASINGS = _phrases("""
    usually: the most times, use to; often: many times, a lot of times; sometimes: any times, some of the times
    always: all the time, all times; rarely: few times, not many times; soon: in short time, in a short time
    now: in this moment, at the moment; today: in this day, this day; yesterday: the last day, the day before
    tomorrow: the next day; recently: in the last time, in last time; probably: it is possible that; also: and, as well
    still: until now; can: have the possibility to, am able to; could: had the possibility to, was able to
    should: had better to, have to; must: have the obligation to, need to; may: maybe, have the chance to
    might: maybe, could maybe; together: one with the other, in group; because: for the reason that, due to
    although: even, in spite of; when: in the moment that, at the time; if: in case, in the case that
    while: in the time that, as long as; before: earlier than; after: later than; since: from, because from
    finally: at last, at the last; however: but, in spite of that; quite: a little bit; well: in a good way
    quickly: in a fast way, with speed; carefully: with care, with attention; easily: without difficulty, in an easy way
    decided: took the decision, made decision; decide: take the decision, make decision; try: do an effort
    tried: did an effort; seems: looks like, gives the impression to be; seem: look like; want: have a desire of, would like
    feel: have the feeling of, feel myself; explain: make clear; buy: do a purchase of; choose: make the choice of
    remember: keep in mind; prefer: like more, like better; enjoy: have fun with; everyone: all the people, all people
    everybody: all the people, all persons; someone: some person, any person; nobody: no person, not anybody
    nothing: not anything, any thing; something: some thing, anything; everything: all the things, all things
    anyone: any person, some person; anything: something, nothing; somebody: some person; myself: me, me alone
    himself: him, him alone; alone: by my own, only; very: a lot, very much; many: a lot, lot of
    several: some different, a group of; which: what, where; who: what person, that he; where: in which place, that
    why: the reason, for what; not: no; never: no one time, not ever; another: other one, one more; both: the two, two of them
    each: every one, all; a lot: so much, very much; lot of: many, much of; so that: for that, for; in order: for
    right now: just in this moment, in the moment; do n't: not, no; does n't: not, do n't; did n't: not, do n't
    is n't: not, do n't; wo n't: not, do n't; ca n't: no can, not can; there is: have, it has; there are: have, it has
    there was: had, it had; there were: had, existed; at home: in my house, inside home; on foot: by the feet, with foot
    on time: punctual, in the hour; for example: how, like; of course: naturally, sure; used to: was, use
    have to: must, should to; has to: must, have; had to: must, should; want to: will, would like; would like: want, will
    like to: like, love; able to: can, possible to; each other: one another, together; as soon: so fast, when
    such a: so, a so; let 's: we can, we should; it 's: this is, there is; that 's: it is, this; what 's: which is, how is
    how many: how much of, what number of; how much: what, how many; how long: how much time, what time
    how old: what age, how many years; what time: when, which hour; so far: until now, till now; too much: very much, so much
    at all: nothing, absolutely; no one: nobody of us, anyone; more than: over of, more of; less than: under of, less of
    because of: for, because; a few: little, some few; every day: each days, all days
    every morning: all mornings, each mornings; last night: yesterday night, the last night
    this morning: today morning, in this morning; next week: the other week, in next week
    last week: the past week, in last week; all day: the whole days, all of day; never mind: no matter, does n't matter
    as well: also, too
""")
"""Longer ways of saying a word or two, in lower case."""
