"""Words that carry no meaning of their own. `ranked` drops them from entries and prompts alike.

Compared in lower case, before stemming, without apostrophes. The lists of the other strategies
are theirs: they repeat what the original programs did.
"""

from __future__ import annotations

STOP_WORDS = frozenset(
    """
a about above after again against all also although am among an and any anyone anything are
arent around as at away be because been before being below between both but by can cant cannot
could couldnt did didnt do does doesnt doing done dont down during each either else ever every few
for from further had hadnt has hasnt have havent having he hed hell her here heres hers herself
hes him himself his how however i id if ill im in instead into is isnt it itd itll its itself ive
just let lets like ll many may maybe me might mine more most much must my myself neither no nor not
of off oh on once one only onto or other others our ours ourselves out over own per perhaps please
quite rather re really same shall shant she shed shell shes should shouldnt since so some somebody
someone something such than that thats the their theirs them themselves then there theres these
they theyd theyll theyre theyve thing things this those though through thus till to together too
toward towards under unless until up upon us ve very via was wasnt we wed well were werent weve what
whatever whats when whenever where wherever whether which whichever while who whoever whom whose
whos why will with within without wont would wouldnt yes yet you youd youll your youre yours
yourself youve s t d m o
""".split()
)

FILLERS = frozenset(
    """
able actually add afternoon again ago agree ahead alright always another answer anyway asap ask
awesome back bad basically better big bit bring bug bye call change check cheers clear close code
come commit complete continue cool correct course create current day days delete describe
different different do ello end enough error evening everything exactly example excellent expect
explain fail fails far favor favour feel file files find fine finish first fix follow forget
full fun funny general get gets getting give glad go goes going gone good got great guess guys
haha happen happened happens happy hard hello help here hey hi hint hold hope idea important
interesting issue job keep kind know last later least leave left less little long look looking
looks lot lots love main make makes making mean means mind minute mistake moment morning move need
needs never new next nice night nope nothing now number ok okay old open other output part perfect
person place plan point possible pretty problem project pull push put question questions quick
quickly ready real reason remember right run runs said say second see seem seems send sense set
short show simple small somewhere soon sorry sound sounds start still stop stuff sure take taking
talk task tell test thank thanks think thinking thought time times today told tomorrow tonight
tried true try trying turn undo understand update use used useful using usual usually wait wanna
want wants way week weekend welcome whole wonder wonderful word words work working works worry
worse worst write wrong yeah year yep yesterday
""".split()
)
"""Words of every conversation. They rank like others, but are no reason to interrupt one."""
