"""Words that people use for one another, so that a prompt finds what was told in other words.

A line is a group. Everyday English and the jargon of software. A word may stand in several
groups. A look-up searches the text: taking it apart at each start would cost more than the few
questions of a prompt.
"""

from __future__ import annotations

_GROUPS = """
abandon drop discontinue
abbreviation acronym
access permission authorization right
ache pain hurt sore
address location
afraid scared fear anxious nervous worried
agreement contract deal
allow permit enable
angry furious upset annoyed
animal pet dog cat
answer reply respond response
apartment flat house home
api endpoint interface
application app program
argue quarrel disagree dispute fight
argument parameter option
art painting drawing sketch
artist painter musician
ask request
asynchronous async concurrent
auth authentication authenticate login signin credential password
authentication identity verify signature signed
autumn fall
baby child infant newborn
backup snapshot restore recover
bandwidth throughput
begin start commence
benchmark performance speed
bicycle bike cycling
bill invoice cost price
birthday born birth
book novel read
boss manager lead
boundary limit border
branch fork
break crash fail outage
brother sibling
bug defect error issue
build compile
bus queue topic broker
business company firm startup
buy purchase order
cache memoize
camera photo picture photography
cancel abort stop
car vehicle auto
career job profession occupation
celebrate party celebration
cell phone mobile smartphone
certificate cert tls ssl https
change modify edit update alter
charity fundraiser donate donation
cheap inexpensive affordable
child children kid kids son daughter
choose select pick decide
city town
class course lesson
clean tidy wash
client customer user
cloud hosting
code source
cold freezing chilly
colleague coworker teammate
colour color
command cli
commit revision changeset
competition contest tournament
computer laptop pc workstation machine
config configuration settings setting configure
connect link join
connection link socket
constraint restriction limitation
container docker pod image
convention style guideline standard
convert transform
cook bake recipe meal dish
copy duplicate clone
corrupt damaged broken
cost expense price money
country nation homeland
couple married wife husband spouse partner
cpu processor
crash exception panic segfault
create make build
credential secret key token
cron schedule periodic nightly
dad father parent
dance dancing ballet
dashboard chart graph
database db sql schema
date day time
deadline due
debug diagnose troubleshoot
decrease reduce lower cut
delete remove drop erase
dependency package library
deploy deployment release rollout ship
design architecture
destroy lose loss
detect discover find found
dev development
develop build implement
developer engineer programmer
device phone hardware
diagram drawing
diet vegetarian vegan food
dinner supper meal food eat
directory folder
disable deactivate off
disk storage volume
doc documentation docs manual readme
doctor physician clinic hospital
download fetch
drink beverage coffee tea
education study degree university college school
email mail
emotion feel feeling
employee staff worker
enable activate
encrypt encryption cipher
environment env
error exception failure fail problem
event concert festival show
excited happy thrilled glad
exercise workout gym run running sport
expire expiry expiration valid
family relatives parents siblings
fast quick speed
favourite favorite prefer love
feature functionality
fee price cost
film movie cinema
finance fund money pay loan borrow
fire dismiss layoff
fix repair solve resolve
flight plane airport travel
forbid prohibit ban disallow refuse
format layout
friend buddy mate
function method procedure
future plan goal dream
game play
garbage trash rubbish waste
garden yard plants
get receive obtain
gift present
girlfriend boyfriend partner
goal aim target objective
grandma grandmother gran
grandpa grandfather
group team
grow increase expand
guest visitor
handle process
hash checksum digest
heal recover recovery therapy
health medical illness sick
help assist support
hike hiking walk trail mountain
hobby pastime interest activity
holiday vacation trip travel
hot warm heat
house home cottage
idea suggestion advice
identifier id key
illness disease sick
image picture photo
improve enhance better
increase raise grow
index lookup
infrastructure infra
injure injury hurt sprain broke
input argument
install setup
instrument guitar piano violin cello trumpet
integer int number
interface api ui
internet wifi network
interrupt isr irq
javascript js
job work career employment
join attend enrol
journey trip travel
kubernetes k8s cluster
label tag
lamp light
laptop computer notebook
latency delay slow
law regulation legal
leave quit resign
library package module
license licence
like enjoy love
limit maximum max quota threshold
lint linter format
list enumerate
load traffic
local locale
lock mutex
log logging logs trace
love romance relationship
machine server host node
maintain maintenance
meal dinner lunch breakfast
medicine drug medication tablet
meet meeting met appointment
memory ram heap
merge combine
message notification notify
migrate migration upgrade
mobile android ios phone
money salary savings
monitor monitoring observability alert
mother mum mom parent
mount attach
move relocate
museum gallery exhibition exhibit
music song band concert
name call
network net
new latest recent
night evening
number count amount
nurse hospital
offline disconnected
old ancient
oncall pager page incident
organise organize arrange
outage incident downtime
overview summary
owner maintainer
paint painting
parallel concurrent
parse parser
path route
pay payment charge paid
people person
permission access role privilege
plan intend
plant flower
position role job
postgres postgresql pg
power energy electricity battery
pr review merge
prefer preference favourite
prevent avoid block
price cost amount
print output
private confidential personal
process procedure workflow
production prod live
profession job work
programme program course
promote promotion
protect secure
pupil student
python py
queue backlog
race marathon run
random arbitrary
read reading book
recommend suggest
refactor cleanup restructure
regression bug
relationship dating married
religion church faith
remote distant
rename move
repeat rerun retry again
repository repo
requirement need
research study
reset restart reboot
restaurant cafe dinner
result outcome
return refund
road street
rollback revert undo
rule policy
runbook playbook procedure
safe secure
sale discount offer coupon
schema migration table
school class
screen display monitor
script program
sea beach ocean coast
search find query lookup
secret key password token
secure security
sell sold
send transmit
serialize encode
server backend host
service daemon
session login
shop store
sick ill
sign signature
sister sibling
size dimension
sleep bed
slow latency performance
snippet excerpt
software program
speak talk
specification spec
spring season
staff team
start begin boot launch
state status
store save persist keep
stress stressful pressure
string text
strong robust
study learn course
style format
subscription plan
success win
summer season
sunset sunrise
surgery operation
switch change replace
synchronize sync
talk speech presentation
teach teacher lesson class
temperature heat
terminal console shell
test testing tests
theft stolen
therapy counseling counselling
ticket issue
timeout deadline
timezone zone utc
tool utility
tooth dentist teeth
train teach
training workout
translate translation
transport travel
travel trip visit
tree forest woods
typescript ts
ui interface frontend
unemployed jobless laid
unit component
update upgrade
upload send
use usage
user customer account
validate check verify
variable var
verify check confirm
version release
video film
view see
visit session trip
vm virtual
volunteer charity
wait delay
war military army
watch see
water lake river
weather climate
website site web page
wedding marriage married
weight heavy
win won award prize
winter season
wood wooden carpentry furniture
workshop class
write author
wrong incorrect
zone region
""".replace("\n", " \n ")


def synonyms(word: str) -> list[str]:
    """The other words of this lower-case word's groups."""
    found: list[str] = []
    place = _GROUPS.find(f" {word} ")
    while place >= 0:
        start = _GROUPS.rfind("\n", 0, place + 1) + 1
        end = _GROUPS.find("\n", place + 1)
        found += [other for other in _GROUPS[start:end].split() if other != word]
        place = _GROUPS.find(f" {word} ", end)
    return found
