"""English words that are no names though a sentence may begin with them and so write them with a capital.

Left out on purpose is what is a name as well (Will, May, Rose, Frank, Summer) and what states something about time
(days, months, seasons): as names they must be in the source.
"""

from __future__ import annotations

_FUNCTION_WORDS = """
    a an the this that these those such each every either neither both all any some no none not nor much many more most
    few fewer less least several enough another other others one ones same own only just even still yet already almost
    i me my mine myself we us our ours ourselves you your yours yourself he him his himself she her hers herself it its
    itself they them their theirs themselves who whom whose which what whatever whoever whichever where wherever when
    whenever why how however somebody someone something somewhere anybody anyone anything anywhere nobody nothing
    nowhere everybody everyone everything everywhere and or but so for because since although though while whereas if
    unless until till than as of at by in on to from with without within into onto out off over under above below
    between among amid against along across around behind beside besides beyond before after during despite except
    inside outside near next past per through throughout toward towards up upon down via about like unlike like
    is are was were be been being am do does did done have has had having can could shall should would might must ought
    need let lets cannot isn aren wasn don didn doesn won wouldn couldn ok okay yes no oh ah well
"""

_ADVERBS = """
    again ago afterward afterwards later earlier soon now then there here once twice thrice often sometimes always never
    ever seldom rarely usually mostly mainly chiefly meanwhile otherwise instead therefore thus hence moreover
    furthermore also too else perhaps maybe indeed rather quite very really nearly hardly barely scarcely suddenly
    finally lastly firstly secondly eventually recently lately today tomorrow yesterday tonight together apart alone
    away back forward forwards ahead aside aboard abroad altogether anyhow anyway apparently certainly clearly probably
    possibly surely truly actually especially exactly generally simply slowly quickly quietly early late long far
    overall elsewhere nonetheless nevertheless notably sadly gladly luckily happily alas thanks please first second last
"""

_ADJECTIVES = """
    good better best bad worse worst big small large little great new old young high low short full empty hot cold warm
    cool dry wet dark bright quiet loud busy slow quick fast hard easy safe happy glad sad angry sure true false right
    wrong free kind strange different important able unable ready afraid alive aware careful curious dear fine fresh
    funny gentle guilty heavy hungry kept known left light lost lovely lucky missing nice odd open owed paid poor proud
    rich sorry stuck sweet tired usual various whole wild wise worth worried main certain clear closed close deep
    difficult half final former latter latest current recent previous personal public private single double triple
    north south east west northern southern eastern western thankful grateful content pleased
"""

_NOUNS = """
    day days morning mornings noon afternoon evening evenings night nights midnight midday dusk sunrise sunset dinner
    breakfast lunch supper tea coffee bread food water rain snow wind weather storm fog mist ice fire smoke air earth
    time times hour hours minute minutes moment moments week weeks month months year years life death love fear trouble
    luck work business trade news talk word words story stories question questions answer answers name names number
    numbers people person man men woman women boy girl child children friend friends stranger strangers visitor visitors
    guest guests neighbour neighbours family home house room rooms door doors road street town city village river sea
    sky sun moon light darkness silence noise music song songs voice voices part parts place places thing things matter
    matters point points way ways reason reasons end beginning start middle rest top bottom side sides front everyone
    goal goals plan plans promise promises debt debts task tasks duty duties routine rounds note notes letter letters
    book books list message messages memory memories thought thoughts feeling feelings dream dreams secret secrets
    lesson lessons mood money coins pay payment price prices work rumours rumors suspicion suspicions evidence agreement
    help hay fish dogs cats birds sheep soup cake hunger sleep health peace war justice pain pleasure progress success
    failure order orders attention patience kindness conversation conversations events event details detail highlights
    open issue issues decision decisions fact facts item items gift gifts meeting meetings encounter encounters
"""

_TITLES = """
    mr mrs ms miss mister missus dr doctor sir madam madame mademoiselle monsieur lord lady master mistress rev reverend
    father mother brother sister uncle aunt auntie grandpa grandma grandfather grandmother captain capt colonel major
    sergeant lieutenant general prof professor president mayor inspector officer saint st count countess duke duchess
    baron baroness queen tv ps
"""

_VERBS = """
    began brought built bought came caught chose did drank ate fell fed felt fought found forgot gave got grew
    heard held kept knew laid led learnt lent let lit made meant met paid put ran rang read rode said sang sat saw
    sent sold sought spent spoke stood stole swam swept taught thought threw told took understood went woke won wore
    wrote add ask be begin bring build call carry check close come consider continue cut do draw eat expect feel find
    follow forget get give go hear help hold join keep know learn leave let listen look lose make mean meet mention move
    offer open owe own pass pay play pull push put read remain remember reply return ride run say see seem sell send
    serve set show sing sit sleep speak stand start stay stop take talk teach tell thank think throw touch travel try
    turn understand use visit wait wake walk want wash watch wear win wish wonder work worry write
    says goes comes gives takes makes looks seems asks tells wants knows keeps needs thinks waits
"""

FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Those of them that say nothing of what a question is about."""

COMMON_WORDS = frozenset(" ".join([_FUNCTION_WORDS, _ADVERBS, _ADJECTIVES, _NOUNS, _TITLES, _VERBS]).split())

UNFINISHED_AT = frozenset(
    "a an the and or but of to with from for in at by my your his her its our their is was were has had that which who "
    "because when while if than into as very so".split()
)
"""Words after which a sentence does not end."""
