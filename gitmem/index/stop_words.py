"""Words that say little, in three degrees; one list each.

Compared in lower case, before stemming, without apostrophes. The lists of the other strategies
are theirs: they repeat what the original programs did.
"""

from __future__ import annotations

_STOP_WORDS = """
a about above after again against all also although am among an and any anyone anything are arent
around as at away be because been before being below between both but by can cannot cant could
couldnt did didnt do does doesnt doing done dont down during each either else ever every few for
from further had hadnt has hasnt have havent having he her here hers herself him himself his how
however i if in instead into is isnt it its itself just let lets like many may maybe me might mine
more most much must my myself neither no nor not of off oh on once one only onto or other others
our ours ourselves out over own per perhaps please quite rather really s same shall shant she
should shouldnt since so some somebody someone something such t than that thats the their theirs
them themselves then there these they thing things this those though through thus till to together
too toward towards under unless until up upon us very via was wasnt we well were werent what
whatever when whenever where wherever whether which whichever while who whoever whom whose why
will with within without wont would wouldnt yes yet you your yours yourself
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words without a meaning of their own: dropped from entries and prompts alike."""

_FILLERS = """
able actually add adios afternoon ago agree aha ahead alright always another answer anymore anyway
asap ask awesome back bad basically beaucoup better big bit bitte bonjour bring bug bye call
change check cheers ciao clear close code come commit complete congrats congratulations continue
continuez cool correct course create current danke day days delete demain describe different eight
end enough error evening everything exactly example excellent expect explain fail fails far favor
favour feel file files find fine finish first five fix follow forget four full fun funny general
get gets getting give glad go goes going gone good gosh got gracias grazie great guess gut guys
haha hallo happen happened happens happy hard hello help heute hey hi hint hmm hmmm hola hold
hooray hope hurray idea important interesting issue job keep kind know last later least leave left
less little lol long look looking looks lot lots love main make makes making mean means meh
mention merci mind minute mistake moment morgen morning move nah need needs never new next nice
night nine nope nothing now number ok okay old ooh oops open output part perfect person phew place
plan point possible pretty problem project prompt pull push put question questions quick quickly
ready real reason recall remember right run runs said salut say second see seem seems send sense
set seven short show simple six small somewhere soon sorry sound sounds start still stop stuff
sure take taking talk task tell ten test thank thanks think thinking thought three time times
today told tomorrow tonight tried true try trying turn two ugh understand undo update use used
useful using usual usually wait wanna want wants way week weekend weiter welcome whole wonder
wonderful word words work working works worry worse worst wow write wrong yay yeah year yep
yesterday yup 你好 再见 好的 继续 请问 谢谢 감사 니다 사합 안녕 합니
"""
FILLERS = frozenset(_FILLERS.split())
"""Words of every conversation: they rank a little, and are no reason to interrupt one."""

_COMMON = """
absolute accept accord account across act action active address adult advice affect afraid age aim
air allow alone along amazing amount appear apply area argue arm arrive art article aside aspect
assume attack attempt attention average avoid aware ball band base basic basis battle bear beat
beautiful become bed begin behind belief believe belong benefit beside best bill black blood blow
blue board boat body bone book border born boss bottle bottom bowl box boy branch brave bread
break breath bridge brief bright broad brother brown build burn business busy button buy calm
camera camp cap capital car card care careful carry case cat cause cell center centre century
certain chain chair chance character cheap chief child choice choose church circle city claim
class clean clock closed cloth cloud club coast coat cold collect college color colour comfort
common community company compare complain compose concern condition connect consider consist
contain content control convert cook copy corner cost count country couple courage cover crazy
cross crowd cry culture cup curious cut damage dance danger dark date daughter dead deal death
debate decade decide deep defence defend define degree delay deliver delivery demand depend depth
desert deserve design desire detail determine develop die diet difference difficult dinner direct
direction dirty discover discuss disease dish distance divide doctor document dog door double
doubt draft dragon draw dream dress drink drive drop dry due dust duty ear early earn earth ease
east easy eat edge education effect effort egg element emotion empty encourage energy engine enjoy
enter entire entrance equal escape especially essay essential establish event evil exact exam
except excited exist experience expert express extra eye face fact fair faith fall familiar family
famous fan farm fashion fast fat father fear feature fell field fight figure film final finger
fire fish fit flat flight floor flow flower fly focus food foot force foreign forest form formal
fortune forward frame free freedom fresh friend front fruit future gain game garden gas gate
gather generate gentle gift girl glass goal god gold grade grand grandfather grandmother grass
green grey ground group grow growth guard guide guy habit hair half hall hand handle hang hat hate
head health healthy hear heart heat heavy height hide high hill history hit hole holiday home
honest honey honour horse hospital hot hotel hour house huge human hundred hunt hurry hurt husband
ice ideal ill image imagine impact improve include income increase indeed industry influence
inform inside instance interest introduce invent invite iron island item join joke journey joy
judge jump kid kill kitchen knee knock labour lack lady lake land language large late laugh law
lay lead leader learn leg legal lesson letter level lie life lift light limit line link lip list
listen live load local lock lonely loss loud low luck lunch mad magic mail major man manage manner
map mark market marriage marry master match matter meal measure meat medical medicine meet member
memory mess metal method middle mile military milk million mirror miss mix model modern modest
money month mood moon mother mountain mouth movement movie murder music mystery name narrow nation
natural nature near neck neighbour nerve news noble nobody noise normal north nose note notice
novel object obvious occur ocean odd offer office officer official opinion opportunity opposite
orange order ordinary organ origin outline outside pack page pain paint pair paper parent park
party pass past path patience pattern pause pay peace pen people percent period permit phone photo
phrase picture piece pink plain plane planet plant plate play player pleasant pleasure pocket poem
police polite political poor popular position positive power practice practise precise prefer
prepare presence present president press pretend prevent price pride prince princess print prison
private prize probability probable produce product profession professor promise proper protect
proud prove provide public pure purpose quality quarter queen quiet quit quote race rain raise
random range rare rate reach read receive recipe recognise recommend record red reduce refer
reflect refuse regard region regular relation relax release rely remain remark remind remove
repeat replace reply report represent request require rest result return rich ride ring rise risk
river road rock role roll roof room root rope rough round route row royal rub rude ruin rule rush
sad safe sail sale salt sand save scale scene schedule school science score sea search season seat
secret section seek select sell sentence separate series serious serve service session settle
several shadow shake shame shape share sharp shift shine ship shirt shock shoe shop shoulder shout
shut sick side sight sign signal silence silly silver similar sing single sink sister sit site
situation size skill skin sky sleep slip slow smart smell smile smoke smooth snow social society
soft soldier son song sort soul source south space spare speak special specific speech speed spend
spirit split sport spot spread spring square stage stairs stand standard star state station stay
steady steal steam step stick stone store storm story straight strange stream street strength
stress stretch strike string strong structure struggle student study stupid style subject succeed
success sudden suffer sugar suggest suggestion suit sum summarise summary summer sun supply
support suppose surface surprise surround survive sweet swim switch symptom system table tail tale
taste tax tea teach teacher team tear technique teeth temperature term terrible theory thick thin
third thousand threat throw ticket tie tight tiny tip tired title tone tongue tool tooth top topic
total touch tour tower town toy track trade tradition train translate travel treat treatment tree
trick trip trouble truck trust truth type uncle unique unit unite university urgent vacation value
variety vegetable version view village violence visit voice volume vote walk wall war warm warn
wash waste watch water wave weak wealth wear weather wedding weight west wet wheel white wide wife
wild win wind window wine wing winter wish woman wood world wound yard yellow young youth zero
"""
COMMON = frozenset(_COMMON.split())
"""Words of any topic: one of them alone doesn't tell what a prompt is about, two may."""
