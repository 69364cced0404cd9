"""Words that people use for one another, so that a prompt finds what was told in other words.

A line is a group. Everyday English and the jargon of software, no names of products. A word may
stand in several groups. Nothing is parsed when this is imported: a look-up searches the text.
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
 argument parameter option
 argue quarrel disagree dispute fight
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
 develop build implement
 developer engineer programmer
 dev development
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
 fire dismiss laid-off layoff
 fix repair solve resolve
 flight plane airport travel
 food meal eat
 forbid prohibit ban disallow refuse
 format layout
 friend buddy mate
 function method procedure
 future plan goal dream
 game play
 garden yard plants
 garbage trash rubbish waste
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
 hardware device
 hash checksum digest
 heal recover recovery therapy
 health medical illness sick
 help assist support
 hike hiking walk trail mountain
 hobby pastime interest activity
 holiday vacation trip travel
 hospital clinic doctor
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
 kid child
 label tag
 lamp light
 laptop computer notebook
 latency delay slow
 law regulation legal
 learn study
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
 monitor monitoring observability alert
 money salary savings
 mother mum mom parent
 mount attach
 move relocate
 movie film
 museum gallery exhibition exhibit
 music song band concert
 name call
 network net
 new latest recent
 night evening
 number count amount
 nurse hospital
 occupation profession job
 offline disconnected
 old ancient
 on-call oncall pager page incident
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
 photo picture
 physician doctor
 plan intend
 plant flower
 play game
 position role job
 postgres postgresql pg
 power energy electricity battery
 prefer preference favourite
 present gift
 prevent avoid block
 price cost amount
 print output
 private confidential personal
 prize award win
 process procedure workflow
 production prod live
 profession job work
 programme program course
 promote promotion
 protect secure
 pull-request pr review merge
 pupil student
 python py
 queue backlog
 quit leave
 race marathon run
 random arbitrary
 read reading book
 recommend suggest
 recover restore
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
 retry rerun
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
 song music
 speak talk
 specification spec
 speed performance
 sport exercise
 spring season
 staff team
 standard convention
 start begin boot launch
 state status
 store save persist keep
 street road
 stress stressful pressure
 string text
 strong robust
 student pupil
 study learn course
 style format
 subscription plan
 success win
 summer season
 sunset sunrise
 support help
 surgery operation
 switch change replace
 synchronize sync
 talk speech presentation
 teach teacher lesson class
 team group
 technical-debt tech-debt debt
 temperature heat
 terminal console shell
 test testing tests
 theft stolen
 therapy counseling counselling
 ticket issue
 timeout deadline
 timezone zone utc
 token credential
 tool utility
 tooth dentist teeth
 training workout
 train teach
 translate translation
 transport travel
 travel trip visit
 tree forest woods
 typescript ts
 ui interface frontend
 undo revert
 unemployed jobless laid
 university college
 unit component
 update upgrade
 upload send
 use usage
 user customer account
 vacation holiday
 validate check verify
 variable var
 vehicle car
 verify check confirm
 version release
 video film
 view see
 visit session trip
 vm virtual
 volunteer charity
 walk hike
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
 work job
 workshop class
 worker employee
 write author
 wrong incorrect
 zone region
"""

_ENDINGS = (("", 0), ("", 1), ("", 2), ("", 3), ("e", 3), ("e", 2), ("y", 3), ("", 4))


def synonyms(word: str) -> list[str]:
    """The other words of this lower-case word's groups."""
    found: list[str] = []
    place = _GROUPS.find(f" {word} ")
    if place < 0:
        place = _GROUPS.find(f" {word}\n")
    while place >= 0:
        start = _GROUPS.rfind("\n", 0, place + 1) + 1
        end = _GROUPS.find("\n", place + 1)
        found += [other for other in _GROUPS[start:end].split() if other != word]
        place = _next(word, end)
    return found


def _next(word: str, start: int) -> int:
    places = [place for place in (_GROUPS.find(f" {word} ", start), _GROUPS.find(f" {word}\n", start)) if place >= 0]
    return min(places, default=-1)
