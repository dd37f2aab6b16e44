/**
 * Synonyms in English headlines. Each line is one meaning, represented by its first word, whose stem the others get; a phrase
 * is written with hyphens, and `=` stands before a form of a word that has this meaning in no other form. Words on a line
 * say the same about an event: opposites, stages of one story (charged, convicted, jailed) and merely related words do not
 * belong on one. `#` begins a comment.
 */
export const SYNONYMS = `
# Markets and figures: up, down
rise climb gain jump surge soar increase skyrocket leap uptick
raise hike lift boost
fall drop slip slide decline decrease plunge tumble plummet slump dip nosedive
cut slash lower reduce reduction trim cutback cut-back scale-back
recover recovery rebound bounce-back
exceed surpass overtake
double twofold
biggest largest
big large
huge massive enormous
small tiny little
record highest all-time record-breaking record-setting record-high
strong robust
weak sluggish
shrink shrinkage
expand expansion
slow slowdown slow-down
worsen deteriorate
improve improvement
limit curb restrict restriction cap
tighten toughen
ease relax loosen
outlook forecast guidance predict prediction projection
estimate expectation
deficit shortfall
share stock equity
shareholder stockholder
dividend payout
buyback repurchase buy-back
bond gilt
earnings profit income
revenue sales turnover
loss lose
debt borrowing
loan lending
lender bank
worth valuation
money cash
fund finance
invest investment
stake shareholding
tax levy
tariff import-duty
inflation consumer-price
recession downturn
gdp gross-domestic-product
bailout bail-out
bankrupt bankruptcy insolvent insolvency go-bust
ipo initial-public-offering flotation go-public
yearly annual
quarter quarterly three-month
currency forex
bitcoin btc cryptocurrency digital-currency virtual-currency
oil crude petroleum
gasoline petrol
gold bullion
electricity power-supply
nuclear atomic
mine miner
harvest crop

# Companies and work
company firm corporation
startup start-up
rival competitor
compete competition competitive
ceo chief-executive boss
cfo finance-chief finance-director
chairman chairwoman chairperson
founder cofounder co-founder
billionaire tycoon mogul magnate
buy acquire purchase acquisition buyout buy-out takeover snap-up
sell divest offload sell-off
merge merger tie-up
restructure reorganization reorganize
spinoff spin-off
partner partnership team-up join-forces alliance
deal agree agreement accord pact accept
negotiate negotiation =talks
bid offer
worker employee staff staffer workforce
job employment
unemployment jobless joblessness
layoff lay-off redundancy job-cut job-loss
hire recruit recruitment
wage salary
strike walkout walk-out industrial-action work-stoppage
lockout lock-out
union labor-union trade-union
quit leave exit depart departure resign resignation step-down step-aside stand-down
sack dismiss =fired =firing dismissal
oust topple overthrow ouster
retire retirement
replace replacement
successor succeed succession
appoint appointment
promote promotion
headquarters head-office
factory plant
warehouse depot
store shop
supermarket grocer grocery
mall shopping-centre shopping-center
restaurant eatery
retailer store-chain
customer client shopper
brand marque
ad ads advert advertising advertisement
counterfeit fake bogus
recall call-back
defect faulty defective fault
refund reimburse
antitrust anti-trust
regulator watchdog
deregulate deregulation
maker manufacturer producer
supplier vendor
airline carrier
carmaker automaker car-maker auto-maker
homebuilder housebuilder home-builder house-builder
homeowner home-owner
mortgage home-loan
tenant renter
property real-estate
insurer insurance-company
cheap affordable low-cost inexpensive
expensive pricey costly
rollout roll-out
shortage scarcity
stockpile hoard

# Decisions
approve pass passage approval ok okay greenlight green-light authorize authorization give-nod give-go-ahead
allow permit permission
ban prohibit outlaw prohibition
block thwart foil
reject turn-down rejection rebuff spurn vote-down
veto strike-out
overturn strike-down throw-out quash
uphold affirm
cancel call-off scrap nix cancellation
abandon ditch walk-away-from
abolish do-away-with
repeal rescind revoke
postpone put-off delay defer push-back postponement
halt stop suspend suspension cease
resume restart
begin start kick-off commence kickoff get-underway get-under-way
end finish conclude
close shut closure shut-down
reopen re-open
hold keep maintain retain
choose pick select
decide decision
consider mull weigh ponder
propose proposal
extend extension prolong
withdraw withdrawal pull-out pullout
renew renewal
reform overhaul revamp shake-up shakeup
revise revision
modify modification alter
remove removal take-down
enforce enforcement
comply compliance
implement implementation
impose imposition
review reassess re-examine reexamine
refuse refusal
oppose opposition object-to
support endorse endorsement =backs =backed =backing
urge call-on exhort
vow pledge
warn caution
threat threaten
criticize criticism slam condemn denounce lambaste decry condemnation hit-out lash-out
praise hail laud applaud
mock ridicule poke-fun
accuse accusation
allege allegation
deny denial plead-not-guilty
apologize apology say-sorry
respond response reply hit-back
explain explanation
discuss discussion
fear worry concern
anger fury furious angry outrage
controversy furor uproar
backlash outcry
row feud spat dispute quarrel wrangle
crackdown clampdown crack-down clamp-down
try attempt
fight combat tackle
protect protection safeguard
ready prepare preparation
demand insist-on
boycott shun
deadlock stalemate impasse
breakthrough break-through
setback set-back
lie untruth
hoax prank
rumor speculation
mistake error blunder
probe investigate investigation inquiry enquiry investigator look-into
inspect inspection inspector
disclose disclosure
publish publication
leak divulge

# Politics
election elect electoral
reelect re-elect re-election reelection
candidate contender hopeful
vote ballot
referendum plebiscite
poll survey
win victory triumph
concede concession
nominate nomination
inaugurate inauguration swear-in
impeach impeachment
coup putsch
premier prime-minister pm
governor gubernatorial
minister ministerial
lawmaker legislator mp mps congressman congresswoman parliamentarian
parliament parliamentary
senate senatorial
congress congressional
bill legislation
constitution constitutional
democrat democratic
republican gop
conservative tory
spokesman spokeswoman spokesperson
ambassador envoy
diplomat diplomatic diplomacy
bureaucrat civil-servant
immigrant migrant immigration migration
deport deportation expel expulsion
sanction embargo
treaty convention
summit leaders-meeting
border frontier
independence independent secession breakaway
referee umpire
subsidy subsidize
poverty impoverished
gay homosexual
pope pontiff
cleric priest clergyman

# War and protest
war conflict
soldier troop serviceman
military army
navy naval
rebel insurgent
militant jihadist jihadi extremist islamist
terrorism terror terrorist
hostage captive
invade invasion incursion
annex annexation
occupy occupation
airstrike air-strike air-raid
bomb bomber
missile rocket
landmine land-mine
weapon weaponry =arms
ceasefire cease-fire truce armistice
peace peaceful
surrender lay-down-arms
protest demonstrate demonstration demonstrator protester protestor rally
march procession
activist campaigner
riot rioter
revolt uprising rebellion
clash scuffle skirmish
massacre mass-killing
drone uav unmanned-aircraft
spy espionage surveillance snoop eavesdrop wiretap

# Crime and law
police cop policeman policemen policewoman
arrest detain apprehend nab detention
charge indict indictment
admit plead-guilty plead confess confession admission
convict conviction find-guilty
acquit acquittal find-not-guilty
jail sentence prison imprison imprisonment incarcerate behind-bars
inmate prisoner
parole early-release
pardon clemency amnesty
execute execution put-to-death
lawsuit suit sue litigation legal-action
settle settlement
fine penalty
compensate compensation =damages
testify testimony give-evidence
juror jury
lawyer attorney solicitor barrister
prosecutor prosecution district-attorney
extradite extradition
illegal unlawful illicit
steal theft
rob robbery robber heist
burglary burglar break-in burglarize
loot looter
kidnap abduct abduction kidnapper
murder homicide slaying
killer murderer
shoot shooter gun-down gunman open-fire gunfire
stab knifing
gun firearm
molest molestation
harass harassment
abuse mistreat mistreatment
fraud scam swindle
bribe bribery kickback
corruption graft
embezzle embezzlement
launder money-laundering
smuggle smuggler
vandal vandalism vandalize
arson arsonist
hack breach hacker cyberattack cyber-attack
seize confiscate seizure impound
search hunt manhunt
missing disappear disappearance vanish go-missing
flee evacuate evacuation
escape break-out breakout jailbreak
rescue save
victim casualty
drunk intoxicated
dui drunk-driving drink-driving dwi drunken-driving
marijuana cannabis pot weed
plagiarism plagiarize
copyright piracy
witness eyewitness
whistleblower whistle-blower

# Accidents, weather, nature
die dead death pass-away fatal fatality perish
injure hurt wound injury
crash collide collision wreck smash pile-up pileup crash-landing
derail derailment
capsize keel-over
sink sunken
collapse cave-in
blast explosion explode detonate blow-up
fire blaze inferno
wildfire bushfire forest-fire brush-fire
firefighter fireman firemen fire-crew
flood floodwater inundate
storm hurricane typhoon cyclone
tornado twister
blizzard snowstorm
snow snowfall
rain rainfall downpour
heatwave heat-wave
cold frigid
drought dry-spell
earthquake quake tremor temblor
erupt eruption
volcano volcanic
landslide mudslide landslip
sinkhole sink-hole
outage blackout power-cut power-failure
contaminate contamination taint
pollute pollution polluter smog
spill spillage
destroy destruction
demolish demolition tear-down knock-down raze
damage harm
strand =stuck
lifeboat life-boat
aid relief
donate donation
charity charitable
survivor survive survival
hunger famine starvation starve
climate climate-change global-warming
environment environmental
extinct extinction die-out
dog puppy pooch canine
cat kitten feline
dolphin porpoise
bee honeybee honey-bee
chicken poultry
zoo zoological
forest woodland
ocean sea
coast coastal shore
nature natural
asteroid space-rock
moon lunar
mars martian
sun solar
astronaut cosmonaut
spacecraft spaceship space-ship
iss space-station
launch liftoff lift-off blast-off
orbit orbital
planet planetary
find discover discovery
fossil palaeontology paleontology
ancient prehistoric
archaeologist archaeology archaeological archeologist archeology archeological

# Health
vaccine vaccination vaccinate jab immunization immunize
drug medicine medication pill
painkiller opioid opiate
hospital clinic
hospitalize rush-to-hospital take-to-hospital
doctor physician medic
surgery surgical
patient sufferer
disease illness sickness
sick ill
outbreak epidemic
infect infection infectious
contagious contagion
flu influenza
cancer cancerous tumor
diabetes diabetic
obesity obese overweight
alzheimer dementia
autism autistic
depression depressed
arthritis arthritic
asthma asthmatic
allergy allergic
hiv =aids
bacteria bacterial bacterium
virus viral
diagnose diagnosis
treat treatment
cure heal
rehab rehabilitation
addict addiction
overdose drug-death
smoke smoker
vape e-cigarette ecigarette e-cig
alcohol alcoholic booze liquor
pregnant pregnancy
birth give-birth childbirth
baby newborn infant
miscarriage miscarry
contraceptive contraception birth-control
fertility fertile
suicide kill-himself kill-herself take-own-life
healthcare health-care
obamacare health-law affordable-care-act health-reform
insure insurance
scientist researcher
study research
gene genetic
dna genome
brain cerebral
heart cardiac
lung pulmonary
kidney renal
diet dietary
calorie caloric
sugar sugary
sodium salt
nutrition nutritional nutrient
exercise workout work-out
sleep asleep

# Technology
phone smartphone handset cellphone cell-phone mobile-phone
laptop notebook
computer pc desktop
chip semiconductor microchip processor
flaw bug vulnerability
glitch malfunction
fix patch repair
website site webpage web-page
internet web online
email e-mail
password passcode
encrypt encryption
malware spyware
spam junk-mail
download downloadable
ai artificial-intelligence
vr virtual-reality
robot robotic
driverless self-driving autonomous
ev evs electric-car electric-vehicle
smartwatch smart-watch
headset headphone
touchscreen touch-screen
wireless wifi wi-fi
tv television telly
video clip footage
photo picture pic image snapshot photograph
blog blogger
subscriber subscription subscribe
privacy private
trailer teaser promo
invent invention inventor
innovate innovation innovative
device gadget

# Transport
plane jet aircraft airplane aeroplane airliner jetliner
helicopter chopper
car auto automobile vehicle
truck lorry
bike bicycle
cyclist bicyclist
motorcycle motorbike
motorcyclist biker
ship boat vessel
railway rail railroad
tram streetcar
transit transport transportation
ride rider ridership
driver motorist
passenger traveller traveler
pedestrian walker
traffic congestion gridlock
highway motorway freeway expressway
tire tyre
tourist holidaymaker vacationer tourism
vacation holiday
luggage baggage

# People
child children kid youngster
teenager teen adolescent
pupil student schoolchild schoolchildren
pensioner retiree
father dad daddy
mother mom mum mommy mummy
grandmother grandma granny
grandfather grandpa granddad
boyfriend beau
fiance fiancee
husband hubby
marry wed marriage nuptials tie-the-knot
engage engagement
divorce divorcee
split separate separation break-up breakup part-ways
nude naked topless
homeless homelessness rough-sleeper
wealthy rich affluent
poor needy
volunteer voluntary
teacher schoolteacher
professor prof
college university
graduate graduation
exam examination
kindergarten nursery-school preschool
feminist feminism
muslim islamic islam
christian christianity
jewish jew

# Sport
match game
coach manager
captain skipper
player footballer
football soccer
goalkeeper goalie
quarterback qb
champion champ
title crown
beat defeat thrash trounce
trophy silverware
playoff play-off postseason
semifinal semi-final semis
quarterfinal quarter-final
olympic olympian
athlete athletic
comeback come-back
eliminate elimination knock-out crash-out
qualify qualification qualifier
lineup line-up roster
score scorer
homer home-run
stadium arena
fan supporter
doping steroid
marathon marathoner
sprint sprinter
swim swimmer
ski skier
skate skater
golf golfer
gymnast gymnastics
wrestle wrestler

# Entertainment and culture
film movie flick
filmmaker film-maker
director direct
debut =premiere =premieres =premiered =premiering
actor actress
singer vocalist songstress
musician musical
host presenter anchor
celebrity celeb
comedian comic
costar co-star
song track tune
concert gig
festival fest
finale last-episode final-episode
award prize accolade
oscar academy-award
write pen author
memoir autobiography
novel novelist
journalist reporter
editor editorial
sketch =drawing =drawings
painting painter
artwork work-of-art
sculpture statue
exhibition exhibit
museum gallery
auction go-under-hammer
dress gown
fashion fashionable
funeral burial
tribute homage
mourn grieve mourner
celebrate celebration
anniversary jubilee
commemorate commemoration
christmas xmas
barbecue bbq
beer ale lager

# Other verbs and adjectives
build construct construction
relocate relocation
arrive arrival touch-down
reach attain
create creation
produce production
introduce introduction
restore restoration
fast quick rapid
dangerous hazardous perilous
safe safety
secure security
global worldwide
national nationwide
foreign overseas abroad
north northern
south southern
east eastern
west western
southeast south-east southeastern
southwest south-west southwestern
northeast north-east northeastern
northwest north-west northwestern
delivery deliver
complain complaint
populate population
licence license
believe belief
behave behavior
analyze analysis
famous renowned
depend dependence dependent dependency rely reliant reliance
combine combination
comment remark
compare comparison
cooperate cooperation collaborate collaboration
describe description
distribute distribution distributor
divide division
educate education educational
employ employer
expose exposure
fail failure
import importer
export exporter
inform information
intervene intervention
invite invitation
notify notification
perform performance performer
persuade persuasion
prescribe prescription
repeat repetition
reserve reservation
retaliate retaliation
reunite reunion
satisfy satisfaction
speak speech speaker
suggest suggestion
supervise supervision supervisor
trespass sneak
trip journey
violate violation
weird strange bizarre odd

# British and American words
apartment flat
trash garbage rubbish
candy sweet
pharmacy pharmacist chemist drugstore
diaper nappy
stroller pram
sidewalk pavement
math mathematics
zipcode postcode zip-code post-code
atm cash-machine cashpoint cash-dispenser
realtor estate-agent

# British and American spellings that no rule joins
centre center
theatre theater
metre meter
litre liter
fibre fiber
kilometre kilometer km
defence defense
offence offense
pretence pretense
grey gray
plough plow
mould mold
sceptic skeptic
jewellery jewelry jewel
aluminium aluminum
catalogue catalog
dialogue dialog
manoeuvre maneuver
artefact artifact
cosy cozy
pyjamas pajamas
paediatric pediatric paediatrician pediatrician
anaesthetic anesthetic
foetus fetus foetal fetal
doughnut donut
yoghurt yogurt
whisky whiskey
`;

/** The same for countries with their people, and for institutions and companies with their initials. */
export const SYNONYMS_OF_NAMES = `
america american usa united-states
britain british uk united-kingdom
england english
scotland scottish
welsh =wales
ireland irish
europe european eu european-union
france french
germany german
italy italian
spain spanish
catalonia catalan
portugal portuguese
netherlands dutch
belgium belgian
switzerland swiss
austria austrian
sweden swedish
norway norwegian
denmark danish
finland finnish
iceland icelandic
poland polish
czech czechia
slovakia slovak
slovenia slovenian
hungary hungarian
romania romanian
bulgaria bulgarian
serbia serbian serb
croatia croatian croat
bosnia bosnian
kosovo kosovar
albania albanian
greece greek
cyprus cypriot
malta maltese
sicily sicilian
estonia estonian
latvia latvian
lithuania lithuanian
russia russian
chechnya chechen
ukraine ukrainian
crimea crimean
belarus belarusian
moldova moldovan
georgia georgian
armenia armenian
azerbaijan azerbaijani azeri
kazakhstan kazakh
uzbekistan uzbek
turkey turkish turk
kurd kurdish
iran iranian
iraq iraqi
israel israeli
palestine palestinian
syria syrian
lebanon lebanese
jordan jordanian
saudi saudi-arabia
yemen yemeni
qatar qatari
kuwait kuwaiti
uae united-arab-emirates emirati
egypt egyptian
libya libyan
tunisia tunisian
algeria algerian
morocco moroccan
sudan sudanese
somalia somali
ethiopia ethiopian
eritrea eritrean
kenya kenyan
uganda ugandan
rwanda rwandan
tanzania tanzanian
zambia zambian
zimbabwe zimbabwean
nigeria nigerian
ghana ghanaian
senegal senegalese
mali malian
liberia liberian
congo congolese drc
angola angolan
africa african
india indian
pakistan pakistani
bangladesh bangladeshi
nepal nepalese nepali
tibet tibetan
afghanistan afghan
asia asian
china chinese
taiwan taiwanese
mongolia mongolian
japan japanese
korea korean
vietnam vietnamese
thailand thai
cambodia cambodian
laos laotian
myanmar burma burmese
malaysia malaysian
singapore singaporean
indonesia indonesian
philippines filipino
australia australian aussie
canada canadian
mexico mexican
guatemala guatemalan
honduras honduran
salvador salvadoran
nicaragua nicaraguan
panama panamanian
cuba cuban
haiti haitian
jamaica jamaican
dominica dominican
colombia colombian
venezuela venezuelan
ecuador ecuadorian ecuadorean
peru peruvian
bolivia bolivian
chile chilean
argentina argentine argentinian argentinean
uruguay uruguayan
paraguay paraguayan
brazil brazilian
california californian
texas texan
hawaii hawaiian
alaska alaskan
york ny nyc
vegas las-vegas
philly philadelphia
sf san-francisco
un united-nations
eurozone euro-zone euro-area
ecb european-central-bank
imf international-monetary-fund
boe bank-of-england
boj bank-of-japan
rba reserve-bank-of-australia
fed federal-reserve
scotus supreme-court
doj justice-department department-of-justice
dhs homeland-security
fda food-and-drug-administration
epa environmental-protection-agency
ftc federal-trade-commission
fcc federal-communications-commission
faa federal-aviation-administration
nsa national-security-agency
cia central-intelligence-agency
fbi federal-bureau-of-investigation
irs internal-revenue-service
cdc centers-for-disease-control
nhs national-health-service
esa european-space-agency
gm general-motors
ge general-electric
hp hewlett-packard
vw volkswagen
amd advanced-micro-devices
ibm international-business-machines
ba british-airways
jpmorgan jp-morgan
bofa bank-of-america
rbs royal-bank-of-scotland
nyt new-york-times
wsj wall-street-journal
nyse new-york-stock-exchange
nba national-basketball-association
nfl national-football-league
nhl national-hockey-league
mlb major-league-baseball
ncaa national-collegiate-athletic-association
ioc international-olympic-committee
`;
