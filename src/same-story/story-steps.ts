/** A step in the words of English and Japanese headlines. */
export type Step = readonly [english: RegExp, japanese: RegExp];

/**
 * How news of a kind goes on, step by step. A headline is at the last step here that it tells, as a follow-up also tells
 * what it came of; headlines at two steps of one kind of news are two pieces of news. To tell no step says nothing: a
 * report of a rescue need not say "rescued". What reports of the first day often have is no later step.
 */
export const STEPS: readonly (readonly Step[])[] = [
  // Crimes and their trials
  [
    [
      /\b(?:steals?|stole[n]?|stealing|thefts?|heists?|robb\w*|raid(?:s|ed|ers)?|burgl\w*|thie(?:f|ves)|loot\w*|shootings?|shoots?|shot|gunm[ae]n|stabb\w*|stabs|knife|knifem[ae]n|murder\w*|kill\w*|attacks?|attacked|kidnap\w*|abduct\w*|bomb\w*|blasts?|explosion|arson|torched|vandal\w*|hijack\w*|hacks?|hacked|hackers|breach\w*|ransomware|cyberattacks?|scam\w*|swindl\w*|smuggl\w*|assault\w*|rap(?:e|ed)|fire|blaze|crash|rampage|ambush\w*|poison\w*)\b/,
      /盗|強盗|窃盗|殺人|刺され|刺す|発砲|銃撃|襲|誘拐|放火|爆発|詐欺|流出|不正アクセス|ひき逃げ|火災|事故/,
    ],
    [
      /\b(?:arrest(?:s|ed)?\b|charged\b|charges? (?:with|over|against|former|ex)|charges filed|indict\w*|suspects?\b|suspected of|in custody|custody|detain\w*|held (?:(?:in|by) (?:[^ ,:;]+ ){1,3})?(?:over|in connection|on suspicion|after|for)\b|police hold|police (?:catch|nab|seize)|nabbed|captured|caught|in handcuffs|handcuffed|extradit\w*|turns? (?:himself|herself|themselves) in|surrenders? to police|remanded)/,
      /逮捕|書類送検|送検|起訴(?!内容)|容疑|拘束|身柄|出頭|供述|自白/,
    ],
    [
      /\b(?:(?:goes|go|went|stands?|put|faces) (?:on )?trial\b|on trial|trial (?:of (?:[^ ,:;]+ ){1,4})?(?:opens?|begins?|starts?|gets under way)|trial begins|trial opens|in the dock|in court|appears? in court|before (?:a )?(?:judge|court)|testif\w*|takes? the stand|witness stand|jury (?:told|hears|selection|selected)|court hears|opening statements|closing arguments|plead(?:s|ed)? |pleas?\b|guilty plea|confess\w*|(?:admits?|admitted|admitting) (?:to |taking|stealing|killing|murder\w*|manslaughter|fraud|theft|guilt|charges?|brib\w*|rape|attack\w*|shooting|stabbing|arson|spying|plot\w*|launder\w*|\$|€|£))/,
      /初公判|裁判始ま|公判|法廷|証言|求刑|起訴内容|認める/,
    ],
    [
      /\b(?:found guilty|finds? (?:[^ ,:;]+ ){1,4}guilty|guilty (?:of|on|in|verdict)|convict(?:s|ed|ion)\b|acquit\w*|not guilty|cleared of|verdict|jury (?:finds|convicts|acquits|returns|clears))/,
      /有罪|無罪|評決/,
    ],
    [
      /\b(?:sentence[sd]?\b|sentenced|jailed\b|jails\b|(?:years|months|life) (?:in|behind) (?:prison|jail|bars)|prison for|prison term|jail term|gets? \w+ years|gets? life|life (?:sentence|term)|handed (?:a )?\w+[ -]years? (?:in|term|sentence|jail|prison)|death (?:penalty|sentence)|to be executed|spared jail|avoids? (?:jail|prison)|suspended (?:sentence|term))/,
      /判決|懲役|禁錮|死刑|実刑|執行猶予/,
    ],
    [
      /\b(?:appeals? (?:against|to|over|conviction|verdict|ruling|sentence|rejected|dismissed|court|judges?)|(?:loses?|lost|wins?|won|files?|lodges?|launches) (?:an )?appeal|to appeal|appeals? (?:his|her|their)|(?:conviction|sentence|verdict) (?:quashed|overturned|upheld|reduced|cut|increased)|on appeal|retrial|quash\w*)/,
      /控訴|上告|再審|差し戻し/,
    ],
    [
      /\b(?:released? from (?:prison|jail|custody)|freed from (?:prison|jail)|leaves? (?:prison|jail)|walks? free|out of (?:prison|jail)|parole\w*|pardon\w*|commut(?:es|ed)|clemency|exonerat\w*)/,
      /釈放|出所|仮釈放|恩赦/,
    ],
  ],
  // People in danger, until they are found
  [
    [
      /\b(?:trapp(?:ed|s)|traps|stranded|stuck|missing|vanish\w*|disappear\w*|lost (?:at|in|on)|search (?:for|on|goes|under|begins|continues|resumes)|searching|race against time|hunt for|entombed|buried alive|cut off|adrift|hostages?|kidnap\w*|abduct\w*|taken captive|rescuers (?:try|race|dig|battle|search)|efforts? to (?:reach|save|rescue|free)|rescue (?:effort|operation|bid|mission) (?:under|begins|continues|for|to)|knocking heard|feared)\b/,
      /閉じ込め|取り残|行方不明|不明者|遭難|孤立|捜索|立ち往生|座礁|人不明|人質|拉致/,
    ],
    [
      /\b(?:hopes? fad\w*|search (?:[^,:;]{1,50} )?(?:called off|ends|ended|suspended|abandoned|halted|scaled)|(?:calls? off|called off|ends|suspends?|abandons?) (?:the )?search|presumed dead|declared dead|given up|no survivors)/,
      /捜索(?:を)?(?:打ち切|終了|中止)|絶望/,
    ],
    [
      /\b(?:bod(?:y|ies) (?:of (?:[^ ,:;]+ ){1,4})?(?:are |is |was |were )?(?:found|recovered|retrieved|identified|pulled)|(?:finds?|found|recovers?|recovered|retrieves?) (?:[^ ,:;]+ ){0,3}(?:bod(?:y|ies)|remains|wreckage)|found dead|remains (?:found|identified)|wreckage (?:found|located|spotted))/,
      /遺体|死亡確認/,
    ],
    [
      /\b(?:rescued|rescues|rescue of|saved|freed|frees|(?:firefighters|fire crews?|rescuers|helpers|divers|crews?|volunteers) (?:free|save|rescue)|set free|brought (?:up|out|to safety|home)|(?:pulled|dug|lifted|winched|hoisted|carried|brought|taken|plucked|led|hauled|airlifted|evacuated) (?:[^ ,:;]+ ){0,2}(?:alive|ashore|off|out of|out|from|free|to safety|unharmed)|(?:missing|lost|vanished) (?:\S+ ){0,4}found|found (?:alive|safe|well|unharmed)|alive and well|safe and well|all (?:safe|alive|saved|rescued|out)|alive after|reach(?:es|ed)? (?:safety|surface)|to safety|airlifted|released (?:by|after|unharmed)|release of hostages|hostages (?:freed|released)|escapes? (?:from|captors)|miracle|emerges? (?:alive|from)|survived? (?:[^ ,:;]+ ){0,3}(?:days|hours|nights|weeks)|refloated|afloat|dislodged|towed (?:free|to)|reunited)\b/,
      /救出|救助され|救助し|救助$|を救助|無事|保護|解放|生還|離礁/,
    ],
    [
      /\b(?:tells? of (?:[^ ,:;]+ ){0,2}ordeal|speaks? (?:out )?(?:about|of|for first time)|recalls? (?:[^ ,:;]+ ){0,2}ordeal|leaves? hospital|(?:discharged|released) from hospital|goes? home|went home|returns? home|back home|heroes'? welcome|rescuers (?:honou?red|praised|thanked))\b/,
      /退院|帰宅|帰国|会見で語/,
    ],
  ],
  // Accidents and disasters, and what came of them
  [
    [
      /\b(?:crash(?:es|ed)?|collid\w*|collision|derail(?:s|ed|ment)?|jumps? (?:the )?(?:track|rail)s?|capsiz\w*|overturns?|sinks|sank|sinking|collapse[sd]?|explosions?|explodes?|blasts?|fires?|blazes?|inferno|burns?|wildfires?|avalanches?|landslides?|mudslides?|quakes?|earthquakes?|tsunami|floods?|flooding|stampede|crush|spill(?:s|ed)?|leak|veers?|ditch(?:es|ed)|ploughs|ravine|erupt(?:s|ed|ion)?|disaster|tragedy|plunges?|runs aground|kills|killed|dead|dies?|leaves? \w+ dead|drown(?:s|ed)?|ablaze|wreck)\b/,
      /事故|墜落|衝突|脱線|転覆|沈没|崩落|倒壊|爆発|火災|炎上|全焼|雪崩|土砂崩れ|地震|津波|洪水|浸水|氾濫/,
    ],
    [
      /\b(?:blame[sd]?|blaming|caused by|causes? of|what caused|black ?box(?:es)?|(?:data|flight|voice) recorders?|investigators|(?:report|inquiry|probe|investigation|review) (?:finds|found|says|said|blames|reveals|concludes)|human error|(?:driver|pilot|captain|operator|crew) (?:error|was|under|asleep|faces)|was (?:going|speeding|travelling|traveling)|twice the (?:speed )?limit|speeding|faulty|negligen\w*|asleep|to blame|under investigation|caus(?:es|ed) (?:[^ ,:;]+ )?(?:crash|fire|collapse|blast|explosion|disaster)|cover-?up|ignored warnings?|had been (?:warned|rated|told)|warned (?:of|about|years|before)|knew (?:of|about)|safety (?:failings|lapses|flaws|record))\b/,
      /原因|ブラックボックス|報告書|出火元|調査結果|指摘|放置|把握|人為ミス|速度超過/,
    ],
    [
      /\b(?:arrest(?:s|ed)?\b|charged (?:with|over)|detain(?:s|ed)?\b|held (?:over|after|on suspicion|in connection)|in custody|police hold|faces? charges|prosecut(?:ed|ion)|on trial|jailed)/,
      /逮捕|書類送検|起訴|立件/,
    ],
    [
      /\b(?:funerals?|bur(?:y|ied|ial|ies) (?:of|their|her|his|victims|dead)|laid to rest|vigils?|memorial|anniversary|remember(?:s|ed)? (?:victims|dead)|years? (?:on|after)|months? (?:on|after|later)|weeks? later)\b/,
      /葬儀|告別式|追悼|慰霊|から\d+年|\d周年/,
    ],
    [
      /\b(?:sues?\b|sued\b|lawsuits?|legal action|class action|compensat\w*|damages|payouts?|settlement|settles?\b|fined?\b|fines\b)/,
      /提訴|賠償|補償|和解|訴訟/,
    ],
    [
      /\b(?:reopen\w*|re-open\w*|resum\w*|back in (?:service|operation)|return(?:s|ed)? to service|restored|rebuil\w*|repair(?:s|ed)\b|contained|eruption (?:over|ends)|residents return\w*|salvage[sd]?|refloated|raised from|clean-?up|recede[sd]?|receding|all-clear|return (?:home|to homes)|evacuation (?:order )?lifted|recovery (?:begins|effort))\b/,
      /再開|復旧|復興|鎮火|鎮圧|引き揚げ|離礁|避難指示(?:を)?解除/,
    ],
  ],
  // Strikes and disputes
  [
    [
      /\b(?:strikes?|striking|walk-?outs?|walk(?:s|ed|ing)? (?:out|off)|down(?:s|ed)? tools|stoppages?|industrial action|pickets?|picketing|lock(?:s|ed)? out|lock-?outs?|work-to-rule|go-slow|sick-?out|stop(?:s|ped)? work)\b/,
      /スト(?!ア|リ|レ|ッ|ー|ラ|ロ)|ストライキ/,
    ],
    [
      /\b(?:(?:strike|walkout|action|dispute|stoppage|talks)\w* (?:[^ ,:;]+ ){0,3}(?:end(?:s|ed)?|is over|averted|suspended|called off|settled|cancelled|resolved|avoided|postponed)|(?:ends?|ended|ending|avert(?:s|ed)?|avoids?|halts?|suspends?|call(?:s|ed)? off|settles?|resolves?|no more) (?:[^ ,:;]+ ){0,4}(?:strikes?|walkouts?|dispute|action|stoppage|row|lockout)|deals?\b|settle[sd]?\b|settlement|agree(?:s|d|ment)?\b|accepts?\b|accepted\b|ratif\w*|return(?:s|ed)? to work|go(?:es)? back|went back|back (?:to|at) work|pay (?:offer|rise) accepted|resum\w*|truce|reach(?:es|ed)? (?:[^ ,:;]+ ){0,2}(?:accord|pact))/,
      /妥結|合意|回避|終了|終結|収束|解除|スト中止|再開|和解/,
    ],
  ],
  // Elections and governments
  [
    [
      /\b(?:candida\w+|campaign\w*|runs? for|running for|to run|polls? open|go(?:es)? to (?:the )?polls|heads? to (?:the )?polls|on the ballot|calls? (?:snap |early )?election|snap election|front-?runner|nominee|election (?:date|set|called|debate|rally)|debate|opinion poll|eve of)\b/,
      /告示|公示|立候補|出馬|解散|選挙戦|序盤|終盤|世論調査/,
    ],
    [
      /\b(?:wins?|won|winner|victory|victorious|beats?|defeat(?:s|ed)?|conced\w*|claims?|edges?|edged|landslide|elected|re-?elected|reelection|majority|exit polls?|narrowly|triumphs?|swept|sweeps?|loses?|lost|ousted|knife-edge|turn(?:s|ed)? to|(?:early|first|partial|final) results?)\b/,
      /当選|当確|勝利|敗北|過半数|大勝|圧勝|落選|出口調査|開票/,
    ],
    [
      /\b(?:drops? out|dropped out|(?:quits?|exits?|leaves?|withdraws? from|pulls? out of) (?:[^ ,:;]+ ){0,3}(?:race|contest|campaign)|(?:ends?|suspends?|abandons?) (?:[^ ,:;]+ ){0,3}(?:campaign|bid|candidacy)|endors(?:es|ed)|throws? (?:[^ ,:;]+ ){0,3}behind)\b/,
      /選挙戦撤退|撤退表明|出馬断念|支持表明/,
    ],
    [
      /\b(?:recount\w*|(?:contests?|challenges?|disputes?|annuls?|certif\w+) (?:[^ ,:;]+ ){0,3}(?:result|vote|election)s?|result annulled|rerun|re-?run|run-?off)\b/,
      /再集計|無効|決選投票|再選挙/,
    ],
    [
      /\b(?:coalition (?:talks|negotiations)|talks (?:on|to form|over) (?:[^ ,:;]+ ){0,2}(?:coalition|government)|asked to form|tasked with|invited to form|tries to form|explor\w+ coalition)\b/,
      /連立協議|政権協議/,
    ],
    [
      /\b(?:coalition (?:deal|agreement|pact|treaty|government|formed|agreed|sealed|partners agree)|(?:seals?|strikes?|agrees?|forms?|reach(?:es)?|signs?) (?:[^ ,:;]+ ){0,3}(?:coalition|pact|government)|gets? (?:a )?(?:new )?government|form(?:s|ed)? (?:a )?(?:new )?(?:government|coalition)|to become (?:[^ ,:;]+ ){0,3}(?:prime minister|premier|chancellor|president)|new government|to govern)\b/,
      /連立合意|連立政権|政権発足|首班指名/,
    ],
    [
      /\b(?:cabinet|ministers? named|names? (?:[^ ,:;]+ ){0,3}minister|picks? (?:[^ ,:;]+ ){0,3}(?:minister|secretary)|finance minister|running mate)\b/,
      /組閣|新内閣|内閣発足|入閣/,
    ],
    [
      /\b(?:sworn (?:in|into)|swears? in|inaugurat\w*|takes? (?:office|oath|power|the helm)|oath of office|first day in office|assumes? office|first (?:speech|address) as|handover)\b/,
      /就任|初登庁|宣誓/,
    ],
    [
      /\b(?:coalition (?:collapse|falls?|breaks?|crumbl|partner quits)\w*|government (?:falls?|collapse[sd]?|toppled)|no[ -]confidence|loses? confidence|quits coalition|leaves? coalition)\b/,
      /連立離脱|不信任|内閣総辞職|退陣/,
    ],
  ],
  // Laws, bans and plans of governments
  [
    [
      /\b(?:propos(?:es|ed|al|als)|plans? to (?:ban|tax|cut|raise|limit|outlaw|end|close|legali[sz]e|scrap|introduce)|(?:unveils?|announces?) (?:[^ ,:;]+ ){0,5}(?:tax|levy|bill|reform|ban|curbs?|cuts|rules)|drafts?\b|draft (?:law|bill|rules)|considers?|considering|mulls?|weighs?|wants to|tables?\b|green paper|white paper|consultation)\b/,
      /検討|提案|方針案|素案|原案|提出へ|目指す|修正(?:で|に)合意|修正協議/,
    ],
    [
      /\b(?:(?:passes|passed|adopts?|adopted|votes? (?:for|to|through|in favou?r)|voted (?:for|to|through)|approves?|approved|clears?|backs?) (?:[^ ,:;]+ ){0,5}(?:bill|law|act|ban|reform|budget|legislation|measure|rules|amendment|tax|treaty|motion)|(?:bill|law|act|reform|legislation|ban|budget) (?:passes|passed|approved|adopted|clears))\b/,
      /可決|通過|閣議決定|採択/,
    ],
    [
      /\b(?:rejects? (?:[^ ,:;]+ ){0,4}(?:bill|law|ban|reform|plan|budget|amendment)|votes? (?:down|against)|voted (?:down|against)|veto\w*|(?:bill|law|reform|plan|budget) (?:fails|defeated|rejected|blocked|dies|stalls))\b/,
      /否決|廃案|拒否権/,
    ],
    [
      /\b(?:signs? (?:[^ ,:;]+ ){0,5}(?:bill|law|act|order|treaty|ban|legislation)|signed into law|becomes? law|(?:comes?|came|goes?|enters?) into (?:force|effect)|in force|takes? effect|took effect|now (?:illegal|banned|legal|law)|from (?:today|midnight)|rollout of)\b/,
      /成立(?!へ)|施行|公布|発効|適用開始|署名/,
    ],
    [
      /\b(?:ruled (?:illegal|unlawful|unconstitutional)|(?:court|judges?|tribunal) (?:[^ ,:;]+ ){0,3}(?:blocks?|suspends?|halts?|strikes?|overturns?|upholds?|freezes?|pauses?|throws?|rules?|quashes|backs?|allows?)|struck down|strikes? down|injunction|unconstitutional|unlawful|(?:challenges?|sues?|suit|lawsuit|legal challenge) (?:[^ ,:;]+ ){0,3}(?:ban|law|rule|act|order|bill|tariff)s?|legal challenge|blocked by)\b/,
      /違憲|差し止め|無効判決|提訴/,
    ],
    [
      /\b(?:u-turns?|climb-?downs?|backs? (?:down|off|away)|backed down|backtracks?|backpedals?|repeal\w*|lifts? (?:[^ ,:;]+ ){0,3}(?:ban|curbs?|limits?|restrictions?|sanctions?|tariffs?)|(?:ban|curbs?|restrictions?|sanctions?|tariffs?) (?:lifted|dropped|scrapped|reversed|eased|suspended)|lifted|rescind\w*|revers(?:es|ed|al)\b|withdraws? (?:[^ ,:;]+ ){0,2}(?:bill|plan|law|proposal)|watered down|waters? down|rolls? back|rowed back|(?:scrap|drop|ditch|shelv|abandon)\w* (?:[^ ,:;]+ ){0,3}(?:plan|law|ban|tax|bill|rule|levy|tariff|reform|rise)s?)\b/,
      /撤回|解除|廃止|取り下げ|緩和へ|断念/,
    ],
  ],
  // Tariffs and sanctions, and the answer
  [
    [
      /\b(?:tariffs?|dut(?:y|ies)|levy|levies|sanctions?|curbs?|export (?:rules|controls|ban)|restrictions?|embargo|import ban|expel(?:s|led)?|blacklist\w*)\b/,
      /関税|制裁|輸出規制|禁輸|追放/,
    ],
    [
      /\b(?:retaliat\w*|hit(?:s|ting)? back|strik(?:es?|ing) back|fir(?:es?|ing) back|counter-?(?:tariff|measure|sanction|dut)\w*|tit[ -]for[ -]tat|reprisals?|(?:answers?|answered|responds?|responded|response) (?:[^ ,:;]+ ){0,4}(?:tariff|dut|lev|sanction|curb|ban)\w*|vows? (?:to )?(?:retaliat\w*|respon\w*|countermeasures|action|reprisals?|hit)|(?:in the )?firing line|threatens? (?:to )?(?:retaliat\w*|counter\w*|reprisals?|action)|wto)\b/,
      /報復|対抗措置|反発|提訴/,
    ],
    [
      /\b(?:trade (?:truce|deal|pact|accord)|(?:suspend|paus|delay|postpon|exempt|lift|eas|drop|roll)\w* (?:back )?(?:[^ ,:;]+ ){0,4}(?:tariffs?|dut(?:y|ies)|lev(?:y|ies)|sanctions?|curbs?|embargo)\b(?! to)|(?:tariffs?|dut(?:y|ies)|levy|sanctions?|curbs?|embargo) (?:\w+ )?(?:suspended|paused|delayed|postponed|lifted|eased|on hold|dropped|truce|reprieve|exempt\w*)|exempt\w*|carve-?outs?|spared)\b/,
      /猶予|一時停止|除外|合意|延期|解除|見送り/,
    ],
  ],
  // Mergers
  [
    [
      /\b(?:in (?:\w+ )?talks|talks (?:to|on|about|with|over)|discuss(?:es)?|considers?|considering|mulls?|weighs?|weighing|explor(?:es|ing)|eyes?|eyeing|approach(?:es|ed)?|unsolicited|hostile|courts|suitors?|circling|sounds? out|takeover (?:interest|target|speculation|rumou?rs)|bids? (?:for|of|\$|€|£)|makes? (?:[^ ,:;]+ ){0,3}(?:bid|offer)|bidding war)\b/,
      /検討|協議入り|交渉|打診|提案|tob検討/,
    ],
    [
      /\b(?:rejects?|rejected|spurns?|spurned|turns? down|turned down|rebuffs?|snubs?|rebuffed|says? no to|dismisses|fends? off|go away)\b/,
      /拒否|反対表明/,
    ],
    [
      /\b(?:agrees? to|agreed|accepts? (?:[^ ,:;]+ ){0,4}(?:offer|bid|takeover)|to (?:buy|acquire|purchase|merge|sell|take over)|buys|acquires?|snaps? up|swoops?|strikes? (?:[^ ,:;]+ ){0,2}deal|agreed deal|in (?:[^ ,:;]+ ){1,4}(?:takeover|deal|merger|buyout)|deal to|takeover by|tie-?up|seals? (?:[^ ,:;]+ ){0,2}deal)\b/,
      /買収へ|買収する|買収で合意|買収に合意|傘下に|統合へ|経営統合/,
    ],
    [
      /\b(?:(?:in-depth|second-phase|phase (?:two|2)|full|antitrust|competition|regulatory|merger|deal) (?:\w+ )?(?:review|probe|inquiry|investigation|scrutiny)|(?:opens?|launches|begins?|faces?) (?:[^ ,:;]+ ){0,4}(?:review|probe|inquiry|investigation|scrutiny)|competition concerns?|(?:watchdogs?|regulators?) (?:to )?(?:review|probe|examine|look|investigat|weigh|scrutini)\w*|antitrust|scrutin\w*)\b/,
      /審査|調査開始|公取委/,
    ],
    [
      /\b(?:(?:approv|clear)\w* (?:[^ ,:;]+ ){0,5}(?:deal|merger|takeover|purchase|acquisition|buyout|tie-?up)|(?:deal|merger|takeover|purchase|acquisition) (?:[^ ,:;]+ ){0,3}(?:approved|cleared|waved|gets? (?:green light|nod|approval))|(?:shareholders|investors) (?:back|approve|vote)|wav(?:es?|ed) (?:[^ ,:;]+ ){0,3}through|with conditions|(?:wins|gets|gains) (?:[^ ,:;]+ ){0,3}(?:approval|clearance|green light|nod))\b/,
      /承認|認可/,
    ],
    [
      /\b(?:(?:complet|finali[sz])\w* (?:[^ ,:;]+ ){0,5}(?:deal|merger|takeover|purchase|acquisition|buyout|sale)|(?:deal|merger|takeover|acquisition) (?:completed?|completes|closes|closed|finali[sz]ed)|clos(?:es|ed) (?:[^ ,:;]+ ){1,4}(?:deal|acquisition|purchase|takeover))\b/,
      /買収完了|統合完了/,
    ],
    [
      /\b(?:(?:deal|merger|takeover|tie-?up|purchase) (?:[^ ,:;]+ )?vetoed|(?:block|prohibit|veto|scupper|derail)\w* (?:[^ ,:;]+ ){0,5}(?:deal|merger|takeover|purchase|acquisition|tie-?up)|sues? to (?:block|stop)|(?:abandon|ditch|scrap|drop|terminat|cancel)\w* (?:[^ ,:;]+ ){0,5}(?:deal|merger|takeover|bid|purchase|acquisition|offer|tie-?up|talks)|(?:deal|merger|takeover|talks|bid|acquisition|purchase|tie-?up) (?:[^ ,:;]+ ){0,2}(?:blocked|collapse[sd]?|abandoned|falls? (?:through|apart)|called off|off|dead|scrapped|terminated|dropped)|walks? away|walked away|calls? off|pulls? out of)\b/,
      /破談|断念|白紙|撤回|中止/,
    ],
  ],
  // Products
  [
    [
      /\b(?:unveil(?:s|ed|ing)?|launch(?:es|ed)?|announces?|announced|introduc(?:es|ed|ing)|releases?|released|arrives?|is here|is out|debuts?|reveal(?:s|ed)?|hands-?on|goes on sale|on sale|first look|shows? off|showcases?|gets official|starts? (?:selling|at)|rolls? out|ships?|shipping|meet the|opens? orders)\b/,
      /発表|発売|公開|披露|投入|登場/,
    ],
    [
      /\b(?:sells? out|sold out|(?:million|thousand) (?:units )?sold|sales (?:top|hit|pass|reach)\w*|record sales|waiting list|shortages?|queues? (?:for|outside|form))\b/,
      /完売|品切れ|抽選|予約殺到|出荷台数/,
    ],
    [
      /\b(?:halt(?:s|ed)?|paus(?:es?|ed|ing)|suspend(?:s|ed|ing)?|stop(?:s|ped)? (?:selling|shipping|sales|deliver\w+|production|taking|shipments)|(?:shipments|sales|deliveries|production|orders) (?:stopped|on hold|frozen)|on hold|recall(?:s|ed|ing)?|call(?:s|ed|ing)? back|pull(?:s|ed|ing)? (?:[^ ,:;]+ ){0,3}(?:from|off|over|after|app|sale|update)|withdr(?:aws?|ew|awn)|overheat\w*|too hot|catch(?:es|ing)? fire|off (?:the )?(?:shelves|market|sale)|freezes? sales|defects?|faulty)\b/,
      /販売停止|出荷停止|一時停止|自主回収|回収|リコール|発煙|発火|不具合|欠陥|停止/,
    ],
    [
      /\b(?:(?:resum|restart)\w* (?:[^ ,:;]+ ){0,3}(?:sales?|shipments|shipping|deliver\w+|production|orders)|(?:sales|shipments|deliveries|production) (?:resum|restart)\w*|back on (?:sale|shelves|the market)|(?:releases?|rolls? out|issues?|ships?|pushes|delivers?) (?:[^ ,:;]+ ){0,3}(?:fix|fixes|patch|replacements?)|replacement (?:parts|units|boards|program)|free (?:repairs?|replacements?))\b/,
      /再開|修正版|改修|無償交換|対策品/,
    ],
    [
      /\b(?:discontinu\w*|(?:stop|ceas)(?:s|es|ped|ed)? (?:making|producing|development)|ends? (?:production|support|sales|line)|drops? (?:[^ ,:;]+ ){0,4}(?:line|support|phone|model)|kill(?:s|ed)? off|axes|axed|phases? out|pull(?:s|ed)? (?:the )?plug|end of the (?:line|road))\b/,
      /生産終了|販売終了|撤退|打ち切り|サポート終了/,
    ],
  ],
  // Flaws in software
  [
    [
      /\b(?:flaws?|bugs?|vulnerabilit(?:y|ies)|holes?|bypass|zero-?days?|zero-?click|cve|backdoor|patch(?:es|ed)?|security (?:update|hole|fix))\b/,
      /脆弱性|欠陥|セキュリティー?更新|ゼロデイ/,
    ],
    [
      /\b(?:exploit(?:s|ed|ing|ation)\b|attackers? exploit|hackers? (?:exploit|use|abuse|target)|under (?:\w+ )?attack|used (?:in|by|for|to) (?:\w+ )?(?:spread|hack|steal|breach|break|attacks|attackers|hackers|gangs?|spies)|in the wild|botnets?|hijack\w*|abus(?:e|ed|ing)\b|mass (?:attack|hacking|scanning)|being (?:attacked|exploited|hacked)|hit(?:s|ting) (?:[^ ,:;]+ ){0,3}(?:servers|routers|devices|systems)|infect(?:s|ed|ing)|compromised?)\b/,
      /悪用|攻撃確認|被害確認|感染/,
    ],
  ],
  // Outages and attacks on systems
  [
    [
      /\b(?:outages?|(?:goes|go|went|is|are|knocked|taken|services?|site|network|systems?) (?:down|offline|dark)|offline|blackouts?|power cuts?|without power|lose power|hit by (?:\w+ )?(?:cyber|ransomware|hack|outage|attack)\w*|cripple[sd]?|disrupt(?:s|ed|ion)?|paralys\w+|ransomware|cyberattack|cyber-attack|hackers? lock|turn(?:s|ed)? away|divert\w*|locked out|grounds?|grounded|pen and paper|halts? flights|chaos|down (?:for|worldwide|across|globally)|(?:trains?|flights?|services?|ferries|trams|buses) (?:[^ ,:;]+ )?(?:halted|suspended|cancelled|canceled|stopped|disrupted)|cancels? (?:[^ ,:;]+ ){0,2}(?:flights|trains|services))\b/,
      /障害|停電|ダウン|不通|運休|欠航|つながらない|サイバー攻撃|ランサムウ[エェ]ア|運転見合わせ|停止/,
    ],
    [
      /\b(?:restor(?:es?|ed|ing)|back (?:online|up|on|to normal|in (?:service|operation|action))|running again|up and running|reconnect\w*|resum(?:es?|ed|ing)|(?:power|service|services|network|systems|flights) (?:[^ ,:;]+ ){0,2}(?:restored|returns?|returning|recover\w*|resum\w*|normal)|recovers? from|fully operational|repaired|returns? to normal|lights (?:back )?on|reopen\w*|restart(?:s|ed)?)\b/,
      /復旧|再開|解消|回復/,
    ],
    [
      /\b(?:apologi[sz]\w*|compensat\w*|refunds?|explains? (?:why|what|outage)|what (?:caused|went wrong)|caused by|blame[sd]?|traced to|behind (?:[^ ,:;]+ ){0,2}(?:outage|blackout|failure)|post-?mortem|root cause|caus(?:es|ed) (?:[^ ,:;]+ )?(?:outage|blackout|failure|disruption))\b/,
      /原因|陳謝|謝罪|補償|返金/,
    ],
  ],
  // Outbreaks
  [
    [
      /\b(?:outbreak|cases|infections?|infected|spread(?:s|ing)?|cluster|detected|confirmed|sicken\w*|falls? ill|fall(?:en)? ill|quarantine\w*|virus|flu|measles|cholera|ebola|mpox|salmonella|e\. coli|listeria|norovirus)\b/,
      /感染|集団感染|食中毒|患者|流行/,
    ],
    [
      /\b(?:first (?:[^ ,:;]+ ){0,2}(?:death|fatality|victim|to die)|(?:child|woman|man|girl|boy|baby|patient|toddler|teen\w*|pensioner|person) dies|dies (?:of|from|after)|(?:measles|flu|virus|cholera|ebola|rabies|mpox|listeria|salmonella|covid) deaths?)\b/,
      /死亡|死者/,
    ],
    [
      /\b(?:(?:outbreak|epidemic|emergency|pandemic) (?:[^ ,:;]+ ){0,2}(?:over|ends?|ended|contained)|declare[sd]? (?:over|free|end)|ends? (?:[^ ,:;]+ ){0,2}(?:outbreak|emergency|quarantine)|last patient|source (?:found|identified))\b/,
      /終息|収束|原因食材|原因特定/,
    ],
  ],
  // Storms and floods
  [
    [
      /\b(?:near(?:s|ing)|approach(?:es|ing)|brac(?:e|es|ing) (?:for|as)|prepar(?:e|es|ing) for|takes? aim|heads? (?:for|to|towards?)|heading for|barrel(?:s|ing)|expected to (?:bring|batter|lash)|set to (?:hit|bring|batter)|bears? down|churns? toward|on course|ahead of|forms? (?:in|off|over|east|west|north|south|near)|strengthens?|gathers strength|intensif\w+|forecast to|expected to (?:hit|make|reach|crest|peak)|could (?:hit|strike)|when and where|threatens?|on (?:the|its) way|looms?|warnings? (?:issued|as)|alert as)\b/,
      /接近|北上|上陸の恐れ|上陸へ|発生|備え|警戒|強まる見込み/,
    ],
    [
      /\b(?:hits|slams?|slammed|pummels|hammers|uproots|flattens|wrecks|roars|tears (?:roofs|down|off)|rips (?:roofs|off)|floods|batter(?:s|ed)|lash(?:es|ed)|pounds?|pounded|landfall|ashore|strikes|tears? through|rips? through|sweeps? (?:through|across|over)|wreaks?|ravag\w+|devastat\w+|leaves? (?:[^ ,:;]+ ){1,3}(?:dead|homeless|without)|kills|killed|dead|death toll|toll|bur(?:y|ies) homes|swamp\w*|cut off|bursts? (?:its )?banks|without power|lose power|destruction)\b/,
      /上陸|直撃|通過|被害|死者|停電|氾濫|浸水/,
    ],
    [
      /\b(?:clean-?up|aftermath|recover(?:y|s) (?:from|after|begins)|rebuild\w*|reced(?:e|es|ing)|power (?:restored|back)|downgraded|weaken(?:s|ed)|moves? (?:away|out)|dissipat\w+|counts? (?:the )?cost|relief|survivors|insured losses|damage (?:put|estimated)|return home)\b/,
      /復旧|復興|温帯低気圧|支援物資|片付け|被害額/,
    ],
  ],
  // Space missions
  [
    [
      /\b(?:launch(?:es|ed|ing)?|lift(?:s|ed|ing)? ?-?off|lift-?off|blast(?:s|ed)? off|blast-?off|into space|rockets? (?:toward|carr)\w*|takes? off|took off|soars? into|on (?:its|their) way to|heads? (?:for|to) (?:the )?(?:moon|mars|venus|jupiter|station|comet|asteroid))\b/,
      /打ち上げ(?!延期|中止)|発射|離陸/,
    ],
    [
      /\b(?:fails? to (?:open|deploy|unfold|separate|respond|fire)|(?:panel|array|antenna|wing|door|boom|hatch|latch|thruster|valve)s? (?:[^ ,:;]+ ){0,3}(?:stuck|jam\w*|fails?|failed|leak\w*)|stuck|jam(?:s|med)|did not (?:deploy|open|unfold)|limps?|anomaly|malfunction\w*|glitch|(?:lost|loses?) contact|contact lost|falls? silent|goes silent|safe mode|in trouble|half power|leak(?:s|ing)?|tumbling)\b/,
      /展開できず|展開せず|不具合|通信途絶|異常|トラブル/,
    ],
    [
      /\b(?:enters? orbit|in(?:to)? orbit (?:around|of)|orbit around|reach(?:es|ed) (?:\w+ )?(?:moon|mars|venus|mercury|jupiter|saturn|comet|asteroid|orbit|station|lunar)|arriv(?:es?|ed|al) (?:at|in)|dock(?:s|ed|ing)|rendezvous|flies? (?:by|past)|flyby|fly-by)\b/,
      /到着|軌道投入|軌道に入|周回軌道|ドッキング|到達/,
    ],
    [
      /\b(?:land(?:s|ed|ing)?|touch(?:es|ed)? ?-?down|touchdown|sets? down|set(?:s|ting)? foot|soft-?land\w*|sticks? (?:the )?landing|(?:moon|lunar|mars) (?:landing|success|touchdown))\b/,
      /着陸|着地|軟着陸/,
    ],
    [
      /\b(?:rovers?|rolls? (?:onto|off|out onto|across)|drives? (?:off|on|onto|down)|rolls? down|first (?:\w+ )?(?:pictures?|images?|photos?|pics|data|selfie|steps)|sends? (?:back|first|home)|beams? back|begins? (?:exploring|science|work|mapping|drilling)|starts? (?:exploring|drilling|mapping)|explor(?:es|ing) (?:the )?(?:moon|mars|surface)|drill(?:s|ed|ing)|scoops?|collects? (?:[^ ,:;]+ ){0,2}(?:samples?|dust|rock|soil)|spacewalks?|hop(?:s|ped) )\b/,
      /初画像|初めての画像|探査開始|採取|走行|船外活動|観測開始/,
    ],
    [
      /\b(?:tip(?:s|ped) over|on its side|toppl\w+|crash(?:es|ed)? (?:into|on|onto)|crash-?land\w*|lies on)\b/,
      /横倒し|転倒|墜落|激突/,
    ],
    [
      /\b(?:splash(?:es|ed)? ?down|splashdown|back on earth|back to earth|return(?:s|ed)? (?:to earth|home|from (?:the )?(?:moon|space|station|orbit))|samples? (?:back|arrive|return)\w*|undock\w*|re-?entry|deorbit\w*|mission (?:ends?|over|ended)|end of mission|burns up|goes to sleep|hibernat\w+|runs? out of)\b/,
      /帰還|着水|運用終了|大気圏|任務終了/,
    ],
  ],
  // Medicines
  [
    [
      /\b(?:trials?|stud(?:y|ies)|results?|phase (?:\d|one|two|three|i+)|late-stage|effective|efficacy|slows?|cuts? (?:[^ ,:;]+ ){0,3}(?:infections?|risk|deaths?|cases|decline|weight)|meets? (?:\w+ )?goals?|protects?|promising|hope for|reduces?|shrinks?|fails? (?:in )?(?:\w+ )?trial)\b/,
      /治験|臨床試験|効果|有効性/,
    ],
    [
      /\b(?:(?:seeks?|applies|applied|files?|filed|submits?) (?:[^ ,:;]+ ){0,4}(?:approval|authori[sz]ation|licen[cs]e)|applies for|(?:panel|advisers?|advisors?|committee) (?:[^ ,:;]+ ){0,2}(?:backs?|votes?|recommends?|endorses?))\b/,
      /承認申請|申請/,
    ],
    [
      /\b(?:approv(?:e|es|ed|al)|clears?|cleared|green[ -]?light(?:s|ed)?|go-ahead|authori[sz](?:es|ed|ation)|recommend(?:s|ed)|(?:nice|who|panel|regulators?|watchdog|experts?|advis[eo]rs|body|agency) back(?:s|ed)?|back(?:s|ed) (?:[^ ,:;]+ ){0,4}(?:drug|pill|jab|shot|vaccine|insulin|treatment|therapy)|wins? (?:\w+[. ]+){0,3}approval|nod|endors(?:es|ed)|licen[cs]ed)\b/,
      /承認|認可|了承|推奨/,
    ],
    [
      /\b(?:first (?:patients?|doses?|jabs?|shots?) (?:[^ ,:;]+ ){0,3}(?:get|given|receive|arrive|treated)\w*|(?:roll-?out|rolls? out|jabs? begin|vaccinations? (?:begin|start)|shipments? (?:arrive|begin))\w*|goes on sale|in pharmacies)\b/,
      /接種開始|発売|投与開始/,
    ],
    [
      /\b(?:side[ -]effects?|safety (?:fears|concerns|signal|warning)|(?:recall|withdr[ae]w|reject|refus|pull)\w* (?:[^ ,:;]+ ){0,5}(?:drug|pill|jab|shot|vaccine|insulin|treatment|therapy|medicine|tablets?)s?|(?:halts?|halted|pauses?|paused|suspends?|suspended) (?:[^ ,:;]+ ){0,3}(?:trial|study|use|vaccin\w*)|deaths? linked|linked to deaths?|black-?box warning|too (?:costly|expensive))\b/,
      /副作用|中止|回収|不承認|見送り/,
    ],
  ],
  // Markets and prices that turn
  [
    [
      /\b(?:rises?|rose|rising|gains?|gained|climbs?|climbed|jumps?|jumped|soars?|soared|surges?|surged|spikes?|spiked|rall(?:y|ies|ied)|leaps?|leapt|up|near(?:s|ing)?|(?:hits?|sets?|breaks?|at) (?:[^ ,:;]+ ){0,3}(?:record|high)|record high|all-time high|tops?|highest|shoots? up|rockets?)\b/,
      /上昇|急騰|高騰|続伸|最高値|値上がり|反発/,
    ],
    [
      /\b(?:(?:gives?|gave|giving) (?:up|back)|par(?:es?|ed|ing) (?:\w+ )?(?:gains|rise|rally|advance)|trim(?:s|med) (?:\w+ )?gains|eras(?:es?|ed) (?:\w+ )?gains|retreat(?:s|ed)?|pull(?:s|ed)? back|fall(?:s)? back|fell back|revers(?:es|ed) (?:\w+ )?(?:gains|course|rise)|loses? (?:ground|steam)|(?:rally|gains|surge|rise) (?:fades?|ends?|stalls?|fizzles?|evaporates?)|profit[ -]taking)\b/,
      /反落|一服|上げ幅縮小|帳消し/,
    ],
  ],
  [
    [
      /\b(?:falls?|fell|falling|drops?|dropped|tumbles?|tumbled|sinks?|sank|plunges?|plunged|slumps?|slumped|slides?|slid|crash(?:es|ed)?|plummet\w*|nosedives?|sell-?off|rout|lowest|record low)\b/,
      /下落|急落|反落|続落|暴落|最安値|値下がり/,
    ],
    [
      /\b(?:rebound(?:s|ed|ing)?|recoup(?:s|ed)?|recovers? (?:\w+ )?(?:ground|losses)|claws? back|bounc(?:es?|ed|ing) back|turns? (?:positive|higher)|regain(?:s|ed)? (?:\w+ )?ground|par(?:es?|ed) losses|trim(?:s|med) losses|snaps? (?:[^ ,:;]+ ){0,2}(?:streak|losing))\b/,
      /反発|回復|持ち直|下げ幅縮小|切り返/,
    ],
  ],
  // Quarters of a year
  [
    [/\b(?:first[ -]quarter|q1\b|1q\b|quarter one)/, /第1四半期|1~3月期|1-3月期/],
    [
      /\b(?:second[ -]quarter|q2\b|2q\b|half-?year|first[ -]half)/,
      /第2四半期|4~6月期|4-6月期|中間決算|上半期/,
    ],
    [/\b(?:third[ -]quarter|q3\b|3q\b|nine[ -]month)/, /第3四半期|7~9月期|7-9月期/],
    [
      /\b(?:(?:fourth[ -]quarter|q4|4q)\b(?! (?:forecast|outlook|guidance|target))|year-?end results|full-year (?:profit|results|earnings|net))/,
      /第4四半期|10~12月期|通期決算/,
    ],
  ],
  // Couples and children
  [
    [
      /\b(?:engag(?:ed|ement)|(?:pops?|popped) the question|proposes to|to (?:wed|marry)|betroth\w*|diamond ring)\b/,
      /婚約|結婚へ/,
    ],
    [
      /\b(?:wed(?:s|ded)|weddings?|marr(?:ies|ied)|ties? the knot|tied the knot|nuptials|says? i do|bride|groom|honeymoon)\b/,
      /結婚(?!へ)|挙式|披露宴|入籍/,
    ],
    [
      /\b(?:pregnan(?:t|cy)|expect(?:s|ing) (?:[^ ,:;]+ ){0,3}(?:child|baby|twins)|is expecting|baby bump|to become (?:a )?(?:mother|father|parents|mum|mom|dad)|baby on the way|due in)\b/,
      /妊娠|第[一二三四\d]子を?妊娠|おめでた/,
    ],
    [
      /\b(?:gives? birth|gave birth|birth of|welcom(?:es?|ed) (?:[^ ,:;]+ ){0,3}(?:child|baby|son|daughter|twins|boy|girl)|it'?s? ?’?s? a (?:boy|girl)|baby (?:boy|girl)|newborn|new arrival|becomes? (?:a )?(?:mother|father|parents|mum|mom|dad)|is born|was born|delivers? (?:baby|twins))\b/,
      /出産|誕生/,
    ],
    [
      /\b(?:names? (?:[^ ,:;]+ ){0,2}(?:baby|son|daughter|prince|princess|twins)|baby(?:'s|’s)? name|name revealed|(?:first|new) (?:photos?|pictures?) of (?:[^ ,:;]+ ){0,2}(?:baby|son|daughter|twins)|christening|baptism|baptised)\b/,
      /命名|名前は/,
    ],
    [
      /\b(?:split(?:s|ting)?|divorc(?:e|es|ed|ing)|separat(?:e|es|ed|ion|ing)|part(?:s|ed)? ways|calls? it quits|called it quits|break(?:s|ing)? up|broke up|breakup|break-?up|it'?s? ?’?s? over|ends? (?:[^ ,:;]+ ){0,3}marriage|marriage (?:over|ends|is over)|call(?:ed)? off (?:[^ ,:;]+ ){0,2}(?:wedding|engagement)|uncoupl\w*|estranged)\b/,
      /離婚|破局|別居|婚約解消/,
    ],
    [
      /\b(?:(?:divorce|split|separation) (?:[^ ,:;]+ ){0,2}(?:finali[sz]ed|settled|settlement|granted|final|battle)|finali[sz]es? divorce|settles? divorce|custody|alimony|reconcil\w*|back together|reunite[sd]?|call(?:s|ed)? off (?:[^ ,:;]+ ){0,2}divorce)\b/,
      /離婚成立|親権|慰謝料|復縁/,
    ],
    [
      /\b(?:new (?:love|romance|flame|partner|girlfriend|boyfriend|beau|relationship)|romance with|dating|dates\b|seen (?:with|kissing|holding)|spotted (?:with|kissing)|go(?:es)? public|holding hands|kiss(?:es|ed|ing)|steps? out with|stepping out with|moves? on|moved on|love again|finds? love|loved-?up|romantic (?:getaway|holiday))\b/,
      /熱愛|交際|新恋人|デート/,
    ],
  ],
  // Deaths of known people
  [
    [
      /\b(?:dies|died|dead|death of|passes away|passed away|mourns?|mourned|tributes?|obituary|killed)\b/,
      /死去|死亡|亡くな|訃報|悼む/,
    ],
    [
      /\b(?:funerals?|buried|burial|laid to rest|memorial (?:service|concert)|cremat\w*|(?:final|last) (?:farewell|goodbye|respects)|bids? farewell|say(?:s)? (?:farewell|goodbye)|requiem|lies? in state|coffin|mourners)\b/,
      /葬儀|告別式|通夜|お別れの会|埋葬/,
    ],
    [
      /\b(?:cause of death|autopsy|coroner|inquest|overdose|toxicolog\w*|post-?mortem|medical examiner|ruled (?:a |an )?(?:suicide|accident|homicide)|died (?:of|from|by)|how (?:[^ ,:;]+ ){1,3}died)\b/,
      /死因|司法解剖|検視/,
    ],
    [
      /\b(?:will|estate|inherit\w*|heirs?|fortune|bequeath\w*|leaves? (?:[^ ,:;]+ ){0,3}to)\b(?: (?:of|left|fight|battle|dispute|row|goes))?/,
      /遺産|相続|遺言/,
    ],
  ],
  // Illness of known people
  [
    [
      /\b(?:hospitali[sz]ed|(?:taken|falls?|fell) (?:seriously )?ill|taken to (?:\w+ )?hospital|rushed to|in (?:\w+ )?hospital|in intensive care|undergo(?:es)?|underwent|surgery|operation|diagnos(?:ed|is)|collapses?|collapsed|faint(?:s|ed|ing)|transplants?|gets? (?:pig|new)|suffers? (?:[^ ,:;]+ ){0,2}(?:stroke|attack|injury)|heart attack|stroke|coma)\b/,
      /入院|搬送|手術|倒れ|診断|移植/,
    ],
    [
      /\b(?:discharged|leaves? (?:\w+ )?hospital|left (?:\w+ )?hospital|out of (?:\w+ )?(?:hospital|intensive care|coma)|recovering|on the mend|goes? home|went home|home from|wakes? (?:up|from)|cancer[- ]free|in remission|all[- ]clear|back at work|returns? to (?:work|duties|public))\b/,
      /退院|回復|復帰|寛解/,
    ],
    [
      /\b(?:dies|died|dead|passes away|passed away|death|succumbs?|loses? (?:\w+ )?(?:battle|fight))\b/,
      /死去|死亡|亡くな/,
    ],
  ],
  // Tours and shows
  [
    [
      /\b(?:announces? (?:[^ ,:;]+ ){0,4}(?:tour|shows?|dates|concerts?|residency|gigs?)|to tour|tour announced|tickets (?:go|on sale|sell)|adds? (?:[^ ,:;]+ ){0,3}(?:dates|shows)|headlin(?:e|es|ing)|to play|kicks? off (?:[^ ,:;]+ ){0,4}tour)\b/,
      /ツアー発表|開催決定|追加公演|公演決定/,
    ],
    [
      /\b(?:cancel(?:s|led|ed|ling|lation)?|scrap(?:s|ped)?|axe[sd]?|axing|call(?:s|ed)? off|pull(?:s|ed)? (?:out|the plug)|postpon(?:es?|ed|ing)|shelv(?:es|ed)|lost (?:my|her|his|their) voice|refunds?|will not go ahead|bows? out|forced to (?:cancel|pull|quit)|heartbreak|abandoned|withdraws?|withdrew)\b/,
      /中止|延期|キャンセル|辞退|降板/,
    ],
    [
      /\b(?:reschedul\w*|new (?:\w+ )?dates|back on\b|on again|return(?:s|ed)? to (?:the )?stage|back on stage|comeback|to return|(?:to be )?replay(?:ed)?|(?:she|he|they)(?:'s|’s|'re|’re| is| are) back|resum(?:es?|ed)|replacement (?:dates|shows)|to go ahead|will go ahead|extra (?:nights?|dates|shows)|rearrang\w*)\b/,
      /振替|再開|復活|復帰|再演|代替公演/,
    ],
  ],
  // Players and coaches
  [
    [
      /\b(?:agree[sd]? (?:[^ ,:;]+ ){0,3}(?:fee|terms)|fee agreed|medical|clos(?:e|es|ing) (?:in )?on|in talks|bids? for|(?:eye|target|chase|pursu)(?:s|es|ed|ing)?|linked with|close to (?:signing|joining)|set (?:to (?:join|sign)|for (?:\w+ )?medical)|hope to sign|approach for|poised to)\b/,
      /獲得へ|移籍へ|交渉|合意か|オファー|調査/,
    ],
    [
      /\b(?:signs?|signed|joins?|joined|done deal|complet(?:es?|ed) (?:[^ ,:;]+ ){0,4}(?:move|transfer|switch|signing|deal)|confirms? (?:[^ ,:;]+ ){0,3}(?:sale|signing|transfer|deal|arrival)|seals? (?:[^ ,:;]+ ){0,4}(?:move|switch|transfer)|presented as|officially|breaks? the bank|break the bank|moves? to|transfer to)\b/,
      /移籍(?!へ)|加入|入団|契約|獲得(?!へ)|完全移籍/,
    ],
    [
      /\b(?:debut\w*|first (?:goal|start|appearance|match|game|win) (?:for|as|since|with|in)|scor(?:es?|ed|ing)|hat-?trick|dream start|off the mark)\b/,
      /デビュー|初ゴール|初先発|初出場|初安打|得点/,
    ],
    [
      /\b(?:injur(?:y|ies|ed|es)|out (?:for (?:[^ ,:;]+ ){0,2}(?:season|weeks|months|year)|with (?:\w+ )?(?:injury|broken|torn|knee|ankle|hamstring)|until \w+)|sidelined|ruled out|torn|tears? (?:acl|hamstring|ligament|knee)|broken (?:leg|collarbone|arm|wrist|ankle|foot|hand|toe)|breaks? (?:leg|collarbone|arm|wrist|ankle|foot|hand|toe)|hamstring|stretcher\w*|ligament|ruptur(?:es|ed)|fractur\w*|concussion|limps off)\b/,
      /負傷|けが|離脱|骨折|全治|故障/,
    ],
    [
      /\b(?:back in (?:full )?(?:training|action|squad)|comeback (?:after|from)|(?:returns?|returned|back) (?:to action|from (?:[^ ,:;]+ ){0,2}(?:injury|surgery))|(?:injury|fitness) (?:boost|return)|recovers? from injury)\b/,
      /けがから復帰|戦列復帰|復帰戦|練習再開/,
    ],
    [
      /\b(?:sack(?:s|ed|ing)?|fired|fires (?:[^ ,:;]+ ){0,2}(?:coach|manager|boss|head|after|over)|dismiss(?:es|ed|al)|part(?:s|ed)? (?:ways|company)|shown the door|relieved of|loses? (?:his|her) job|mutual consent)\b/,
      /解任|更迭|解雇|退任/,
    ],
    [
      /\b(?:new (?:head )?(?:coach|manager|boss)|appoint(?:s|ed|ment)?|hire[sd]?|names? (?:[^ ,:;]+ ){1,3}(?:as )?(?:\w+ )?(?:coach|manager|boss|captain)|takes? charge|interim (?:coach|manager|boss)|caretaker)\b/,
      /新監督|就任|後任|監督に/,
    ],
    [
      /\b(?:retir(?:es?|ed|ement|ing)|hangs? up|last (?:match|game)|final (?:match|game|season) (?:of|before|for)|bids? farewell|call(?:s|ed)? time on)\b/,
      /引退|現役最後|ラストマッチ/,
    ],
  ],
  // Doping and bans in sport
  [
    [
      /\b(?:positive|tests? positive|fail(?:s|ed) (?:\w+ )?(?:drugs? |doping )?test|provisional\w*|suspended|doping (?:case|scandal|probe|test)|epo|steroids?|banned substance|under investigation|accused of)\b/,
      /陽性|ドーピング|暫定|資格停止(?!\d)|疑惑/,
    ],
    [
      /\b(?:bann?ed for|gets? (?:\w+[ -])?(?:year|month|match|game)s?[ -]ban|handed (?:[^ ,:;]+ ){0,3}ban|\w+-(?:year|month|match|game)s? (?:ban|suspension)|accepts? ban|admits?|admitted|confess(?:es|ed|ion)?|strip(?:s|ped)|los(?:es?|t) (?:[^ ,:;]+ ){0,3}(?:wins?|titles?|medals?|gold)|life ban|comes? clean|was afraid)\b/,
      /認め|告白|年間の資格停止|資格停止\d|剥奪|処分/,
    ],
    [
      /\b(?:appeals?|court of arbitration|cas\b|cleared|exonerat\w*|overturn\w*|ban (?:lifted|reduced|upheld|cut|over)|reinstat\w*|returns? (?:from|after) (?:[^ ,:;]+ ){0,3}(?:ban|suspension)|comeback|back (?:from|after) (?:[^ ,:;]+ ){0,3}ban)\b/,
      /提訴|異議|処分取り消し|復帰|短縮/,
    ],
  ],
  // Contests, until the title is won and celebrated
  [
    [
      /\b(?:reach(?:es|ed)? (?:[^ ,:;]+ ){0,3}(?:final|semi-?finals?|quarter-?finals?|last (?:four|eight|16)|play-?offs?)|(?:into|books? (?:[^ ,:;]+ ){0,2}place in|through to|advances? to|qualif(?:y|ies) for|set up|sets up) (?:[^ ,:;]+ ){0,3}(?:final|semi-?finals?|quarter-?finals?|last (?:four|eight|16)|round)|semi-?finals?|quarter-?finals?|line-?up for final)\b/,
      /準決勝|準々決勝|決勝進出|4強|8強|ベスト[48]/,
    ],
    [
      /\b(?:wins? (?:[^ ,:;]+ ){0,4}(?:title|cup|final|crown|gold|championship|trophy|slam|league|series|tournament|race)|won (?:[^ ,:;]+ ){0,4}(?:title|cup|final|crown|gold|championship|trophy)|champions?|lifts? (?:[^ ,:;]+ ){0,3}(?:cup|trophy|title|crown)|crowned|(?:maiden|first) (?:\w+ )?(?:crown|title|trophy)|takes? (?:the )?(?:cup|title|crown|gold)|stuns? (?:[^ ,:;]+ ){0,3}final|outlasts?)\b/,
      /優勝|制覇|初v|金メダル|頂点/,
    ],
    [
      /\b(?:parades?|homecoming|bus tour|victory (?:tour|parade)|celebrat(?:e|es|ed|ion|ions) (?:[^ ,:;]+ ){0,3}(?:win|victory|title|cup)|(?:heroes'?|hero'?s?) welcome|lines? (?:the )?streets|returns? home|met by (?:crowds|fans))\b/,
      /パレード|凱旋|祝賀|優勝報告/,
    ],
  ],
  // Awards
  [
    [
      /\b(?:nominat(?:ed|ions?|es)|nominees?|shortlist(?:ed)?|longlist(?:ed)?|line-?up|nods|contenders?|in the running|up for|favou?rites? (?:for|to)|tipped|(?:picks?|selects?) (?:[^ ,:;]+ ){0,3}(?:films|books|albums)|leads? (?:[^ ,:;]+ ){0,3}(?:nominations|nods|race))\b/,
      /ノミネート|候補|出品作/,
    ],
    [
      /\b(?:wins?|won|winners?|takes? (?:[^ ,:;]+ ){0,4}(?:prize|award|lion|bear|palm|leopard|honou?rs|home|oscar|grammy)|goes to|go to|award(?:ed|s)? (?:to|goes)|triumphs?|scoops?|sweeps?|honou?red|share[sd]? (?:[^ ,:;]+ ){0,4}prize|top prize)\b/,
      /受賞|最高賞|グランプリ|大賞|金獅子|獲得/,
    ],
    [
      /\b(?:donat(?:es?|ed)|gives? (?:[^ ,:;]+ ){0,4}(?:money|prize|award|medal) (?:[^ ,:;]+ ){0,3}to|returns? (?:[^ ,:;]+ ){0,2}(?:prize|award|medal)|(?:declin|refus|reject|turn)\w* (?:down )?(?:[^ ,:;]+ ){0,3}(?:prize|award|honou?r|medal|oscar|knighthood)|boycott\w*|snub(?:s|bed)?|ratings|viewers|viewership|revok\w*|strip(?:s|ped)|ceremony (?:watched|draws|row)|backlash|row over|in stockholm|collects? (?:[^ ,:;]+ ){0,3}(?:prize|award|medal))\b/,
      /辞退|寄付|返上|授賞式|視聴率|取り消し/,
    ],
  ],
  // Films and series
  [
    [
      /\b(?:trailers?|teaser|to star|cast(?:s|ing)? (?:as|in)|joins? cast|filming|starts? (?:shooting|filming)|begins? (?:shooting|filming)|first look|posters?|production (?:begins|starts|halted))\b/,
      /予告編|撮影|出演決定|キャスト|特報/,
    ],
    [
      /\b(?:open(?:s|ing) (?:to|with|at|weekend|night)|box office|premieres?\b(?! (?:date|in|on|this|next)\b)|premiered|debut(?:s|ed)? (?:[^ ,:;]+ ){0,3}(?:of the year|at|with|to)|biggest debut|blasts? off|moviegoers|ticket sales|number one|no\. ?1|hits? (?:cinemas|theaters|theatres)|smash(?:es)? records?)\b/,
      /公開|初日|興収|興行収入|動員|封切り|首位/,
    ],
    [
      /\b(?:renew(?:s|ed|al)|sequel (?:confirmed|announced|in the works|planned|set)|(?:confirms?|announces?|plans?|orders?|greenlights?) (?:\W?\w+\W? ){0,4}(?:sequel|spin-?off|film|movie|series|season)|(?:gets?|for|orders?) (?:an? )?(?:second|third|fourth|fifth|sixth|another|new) (?:season|series|chapter|instal?lment|film|movie)|spin-?off|is official|to direct (?:[^ ,:;]+ ){0,2}next|in the works|greenlit|prequel)\b/,
      /続編|新シリーズ|シーズン\d|製作決定|制作決定|更新決定/,
    ],
    [
      /\b(?:cancel(?:s|led|ed)|axe[sd]?|final (?:season|episode)|ends? after|finale|writes? (?:down|off)|write-?down|streaming (?:date|release|debut)|comes? to (?:netflix|disney|streaming)|on dvd|extended cut)\b/,
      /打ち切り|最終回|完結|配信開始/,
    ],
  ],
  // Closures, and what saves from them
  [
    [
      /\b(?:to (?:close|shut|axe|demolish|be (?:closed|demolished|shut|axed))|clos(?:es|ed|ing|ures?)|shut(?:s|ting|tered|ters|ting down)?|axe[sd]?|demoli\w+|threatened|under threat|faces? (?:closure|axe|demolition)|doomed|at risk|bankrupt\w*|insolven\w*|administration|goes? bust|went bust|chapter 11|collapse[sd]?|shutdown|for sale)\b/,
      /閉館|閉鎖|閉店|廃止|廃業|取り壊し|倒産|破産|民事再生|存続の危機/,
    ],
    [
      /\b(?:saved|saves|sav(?:iou?r|ed from)|rescue[sd]?|rescuers?|stay(?:s|ing)? open|remain(?:s)? open|reprieve[d]?|lifelines?|spared|benefactors?|bail(?:s|ed)? out|buyers?|new owners?|bought (?:by|out)|emerges? from|reopen\w*|re-open\w*|u-turn|kept open|keeps? (?:[^ ,:;]+ )?open|(?:villagers|residents|community|locals|fans|workers|staff|rival|investors?) (?:buys?|bought|takes? over)|lives? on|last-minute|granted listed|white knight)\b/,
      /存続|救済|買い手|再建|再開|支援企業|引き継/,
    ],
  ],
  // War and talks
  [
    [
      /\b(?:attacks?|attacked|strikes?|bomb(?:s|ed|ing)|invade[sd]?|invasion|offensive|shell(?:s|ed|ing)|missiles?|drones?|clash(?:es|ed)?|fighting|war|(?:exchange|trade) (?:fire|blows|strikes)|raids?|troops|hostages?|rebels (?:seize|capture|take|enter)|seiz(?:es|ed) (?:[^ ,:;]+ )?(?:town|city|village|airport|base))\b/,
      /攻撃|空爆|侵攻|ミサイル|衝突|交戦|戦闘/,
    ],
    [
      /\b(?:(?:peace|truce|ceasefire|cease-fire) (?:talks|negotiations|plan|proposal|hopes|bid|calls?)|call(?:s|ed)? for (?:[^ ,:;]+ ){0,2}(?:ceasefire|truce)|talks (?:open|begin|start|resume))\b/,
      /停戦協議|和平交渉|停戦案/,
    ],
    [
      /\b(?:(?:agree|reach|sign|declare|announce)(?:s|es|d|ed)? (?:[^ ,:;]+ ){0,4}(?:ceasefire|cease-fire|truce|peace|armistice)|(?:ceasefire|cease-fire|truce|peace deal|armistice) (?:[^ ,:;]+ ){0,2}(?:agreed|reached|signed|begins?|takes? (?:hold|effect)|declared|announced|holds|holding|in force|comes)|peace (?:deal|agreement|accord|treaty))\b/,
      /停戦合意|停戦発効|停戦|和平合意/,
    ],
    [
      /\b(?:(?:ceasefire|cease-fire|truce) (?:[^ ,:;]+ ){0,2}(?:broken|violat\w*|collapse[sd]?|breaks?|shattered|over|ends?|ended|crumbles?|frays?)|fighting (?:resumes|flares)|(?:violat|break|breach|shatter)\w* (?:[^ ,:;]+ ){0,3}(?:ceasefire|cease-fire|truce))\b/,
      /停戦違反|停戦崩壊|停戦破/,
    ],
    [
      /\b(?:hostages? (?:[^ ,:;]+ ){0,2}(?:freed|released|handed|return\w*|home)|(?:frees?|releases?|swaps?|exchange) (?:[^ ,:;]+ ){0,3}(?:hostages?|prisoners)|prisoner (?:swap|exchange)|troops (?:withdraw|pull out|leave)|withdraws? troops|pull-?out|first aid)\b/,
      /人質解放|捕虜交換|撤退/,
    ],
  ],
  // Lawsuits
  [
    [
      /\b(?:sues?|sued|suing|lawsuits?|files? (?:[^ ,:;]+ ){0,3}(?:suit|lawsuit|claim|complaint)|class action|takes? (?:[^ ,:;]+ ){0,4}to court|legal action|goes after)\b/,
      /提訴|訴え|訴訟/,
    ],
    [
      /\b(?:settles?|settled|settlement|out of court|agree[sd]? to pay|to pay (?:[^ ,:;]+ ){0,4}(?:damages|compensation|settlement)|drops? (?:[^ ,:;]+ ){0,3}(?:suit|lawsuit|case|claim))\b/,
      /和解|取り下げ/,
    ],
    [
      /\b(?:judge (?:rules|dismisses|throws|tosses|orders|sides|finds|blocks)|court (?:rules|dismisses|throws|tosses|orders|sides|finds|rejects|upholds|awards)|jury (?:awards|orders|finds|sides)|ordered to pay|must pay|(?:wins?|won|loses?|lost) (?:[^ ,:;]+ ){0,4}(?:case|lawsuit|suit|battle|ruling|damages)|dismissed|thrown out|tossed|awarded (?:[^ ,:;]+ ){0,3}damages|liable)\b/,
      /判決|勝訴|敗訴|棄却|支払い命令|命じる/,
    ],
    [
      /\b(?:appeals? (?:against|ruling|verdict|decision|judg\w+)|to appeal|will appeal|overturn\w*)\b/,
      /控訴|上告/,
    ],
  ],
  // Building
  [
    [
      /\b(?:to (?:build|be built|get|host|house)|plans? (?:[^ ,:;]+ ){0,4}(?:plant|factory|fab|bridge|tunnel|stadium|line|tower|station|airport)|picks? (?:\w+ )?(?:for|as)|approves? (?:[^ ,:;]+ ){0,3}(?:line|plant|bridge|tunnel|stadium|tower|station|project)|planned|proposed|design (?:unveiled|chosen|picked))\b/,
      /建設へ|新設へ|計画|着工へ|誘致/,
    ],
    [
      /\b(?:breaks? ground|broke ground|groundbreaking|construction (?:[^ ,:;]+ ){0,4}(?:begins?|starts?|under way)|work (?:begins?|starts?) on|foundation stone|first stone)\b/,
      /着工|起工式|工事開始/,
    ],
    [
      /\b(?:opens|opened|inaugurat\w*|completed|comes? (?:on ?line|into operation)|starts? (?:production|operation|running|operating)|begins? (?:production|operation|operating)|first (?:train|passengers?|cars?|trams?|visitors?) (?:cross|ride|run|roll|drive|arrive)\w*|ribbon|operational)\b/,
      /開業|開通|完成|稼働|開館|竣工/,
    ],
    [
      /\b(?:(?:plant|factory|project|bridge|tunnel|stadium|line|fab) (?:[^ ,:;]+ ){0,2}(?:delayed|scrapped|shelved|cancelled|abandoned|on hold|over budget)|(?:delays?|scraps?|shelves|cancels?|abandons?) (?:[^ ,:;]+ ){0,5}(?:plant|factory|project|bridge|tunnel|stadium|line|fab)|costs? (?:overrun|double|rise|soar|balloon)\w*|over budget)\b/,
      /計画中止|建設中止|白紙|延期|凍結/,
    ],
  ],
  // Listings
  [
    [
      /\b(?:files? (?:[^ ,:;]+ ){0,2}(?:for|to) (?:\w+ )?(?:ipo|list\w*|go public)|(?:plans?|eyes|seeks|mulls|prepares) (?:[^ ,:;]+ ){0,3}(?:ipo|listing|flotation|float)|to (?:list|float|go public)|ipo (?:filing|plans?|plan)|price range)\b/,
      /上場申請|上場へ|上場計画/,
    ],
    [
      /\b(?:(?:first day|market debut|trading debut|stock market debut|wall street debut|begins? trading|starts? trading|debut on)|(?:soar|jump|surge|pop|fall|drop|sink|slump)\w* (?:[^ ,:;]+ ){0,3}(?:debut|first day)|ipo (?:pop|flop))\b/,
      /初値|上場初日|新規上場/,
    ],
    [
      /\b(?:(?:pull|shelv|postpon|delay|scrap|cancel|withdr)\w* (?:[^ ,:;]+ ){0,3}(?:ipo|listing|flotation|float)|(?:ipo|listing|flotation) (?:pulled|shelved|postponed|delayed|scrapped|cancelled))\b/,
      /上場延期|上場中止|上場見送り/,
    ],
  ],
  // Auctions
  [
    [
      /\b(?:(?:up|goes?|going|set|put) (?:for|to|under) (?:auction|the hammer)|to be (?:auctioned|sold)|(?:expected|could|estimated) to (?:fetch|sell)|could fetch|heads? to auction)\b/,
      /競売へ|出品|オークションへ/,
    ],
    [
      /\b(?:sold (?:for|at)|sells? (?:for|at)|fetch(?:es|ed)|auctioned (?:for|off)|hammer price|goes for|under the hammer for|auction record|buyer (?:pays|named|revealed))\b/,
      /落札|で落札/,
    ],
  ],
  // Meetings
  [
    [
      /\b(?:to (?:meet|visit|host|hold (?:talks|summit)|attend)|will (?:meet|visit|host|attend)|leaders gather|gather for|ahead of (?:[^ ,:;]+ ){0,3}(?:summit|talks|meeting|visit)|on eve of|invites?|invited|summit (?:set|planned|date))\b/,
      /会談へ|訪問へ|訪米へ|訪中へ|開催へ|調整/,
    ],
    [
      /\b(?:meets|met|holds? talks|held talks|arrives? (?:in|for)|shakes? hands|summit (?:[^ ,:;]+ )?(?:ends?|opens|begins|wraps|concludes)|hosts|visits|talks (?:end|conclude)|(?:after|at) (?:[^ ,:;]+ )?(?:meeting|talks|summit)|pledges?)\b/,
      /会談し|首脳が会談|会談終|到着|閉幕|開幕|共同声明/,
    ],
    [
      /\b(?:(?:summit|meeting|visit|talks) (?:[^ ,:;]+ ){0,2}(?:cancelled|canceled|called off|postponed|collapses?|off)|(?:cancels?|calls? off|postpones?|skips?|snubs?) (?:[^ ,:;]+ ){0,4}(?:summit|meeting|visit|talks))\b/,
      /会談中止|訪問中止|延期|見送り/,
    ],
  ],
  // Attacks, and what is learnt about them
  [
    [
      /\b(?:attack(?:s|ed|ers?)?|stabb\w*|stabs|knife|shoot(?:s|ing|ings)?|shot|gunm[ae]n|opens? fire|bomb(?:s|ing|ings|er)?|blasts?|explosion|massacre|rampage|rams?)\b/,
      /襲|刺され|刺す|切りつけ|発砲|銃撃|乱射|爆破|テロ/,
    ],
    [
      /\b(?:act(?:ed|ing) alone|lone (?:wolf|actor|attacker)|accomplices?|motives?|motivated|manifesto|radicali[sz]ed|(?:had )?planned (?:attack|for)|claims? responsibility|claimed responsibility|known to (?:police|authorities)|(?:had )?(?:mental|psychiatric)|history of|grudge|missed warnings)\b/,
      /単独犯|動機|犯行声明|恨み|計画的/,
    ],
    [
      /\b(?:victims? (?:named|identified|remembered|mourned|honou?red)|(?:names?|identif\w+|remember\w*) (?:[^ ,:;]+ ){0,3}victims?|funerals?|vigils?|memorial|anniversary)\b/,
      /身元|葬儀|追悼|献花/,
    ],
    [
      /\b(?:(?:attacker|suspect|gunman|shooter|victim|man|woman|officer) (?:[^ ,:;]+ ){0,3}(?:dies|died|succumbs)|dies (?:in|of|from) (?:\w+ )?(?:hospital|wounds|injuries)|second (?:victim|death))\b/,
      /搬送先で死亡|容疑者死亡|死者\d人に/,
    ],
  ],
  // Leaving an office or a show, and who comes next
  [
    [
      /\b(?:resign(?:s|ed|ation|ing)?|quit(?:s|ting)?|step(?:s|ping)? (?:down|aside|back)|stepped down|to leave|leav(?:es|ing)|departs?|departure|exit(?:s|ing)?|ousted|forced out|stands? down|standing down|bows? out|walks? away|retires?|retirement|retiring|to retire|sacked|fired)\b/,
      /辞任|退任|辞職|辞意|引退|降板|卒業|退社|解任/,
    ],
    [
      /\b(?:to (?:replace|succeed|take over (?:as|from)|fill|head|lead)|replac(?:es|ing|ed) (?:[^ ,:;]+ ){0,2}(?:as|on|at)|succeed(?:s|ed|ing)|successor|replacement|names? (?:[^ ,:;]+ ){1,4}(?:as|new|chief|ceo|boss|head|host|anchor)|named (?:as )?(?:\w+ )?(?:new|successor|ceo|chief|boss|head|host)|appoint(?:s|ed)|(?:is|as) (?:the )?new|picks? (?:[^ ,:;]+ ){1,3}(?:as|to (?:lead|head|succeed))|promot(?:es|ed)|taps|tapped|interim|acting (?:head|chief|ceo|leader)|shortlist|frontrunners?|front-?runners?|race to (?:replace|succeed))\b/,
      /後任に|後継に|新社長|新会長|新監督|就任へ|起用|昇格|内定/,
    ],
    [
      /\b(?:farewell|signs? off|signed off|bids? (?:goodbye|farewell)|says? (?:goodbye|farewell)|last (?:day|show|broadcast|episode|appearance|time)|final (?:day|show|broadcast|episode|appearance|bow|speech)|emotional goodbye|(?:one )?last time)\b/,
      /最終出社|最後の放送|最後の出演|勇退|ラスト|退任会見/,
    ],
    [
      /\b(?:first (?:day|show|broadcast|speech|appearance|week) (?:as|in|on|for)|takes? (?:office|the reins|the helm|charge)|took (?:office|charge)|sworn in|starts? (?:work|job|role)|makes? (?:\w+ )?debut (?:as|on)|debuts? as)\b/,
      /就任(?!へ)|初登庁|初出社|就任会見|初仕事/,
    ],
  ],
  // Stolen data, and who answers for them
  [
    [
      /\b(?:hack(?:s|ed|ers|ing)?|(?:data|security) (?:breach|leak|theft)|breach(?:es|ed)?|stolen (?:data|records|details)|steals? (?:[^ ,:;]+ ){0,3}(?:data|records|details)|leaked?|leaks|cyber-?attack|ransomware)\b/,
      /流出|漏えい|漏洩|不正アクセス|サイバー攻撃/,
    ],
    [
      /\b(?:resigns?|resigned|resignation|quits?|steps? (?:down|aside)|stepped down|sack(?:s|ed)?|fired|ousted|dismissed|out (?:after|over)|loses? (?:\w+ )?(?:job|post|seat)|forced out)\b/,
      /辞任|辞職|引責|解任|更迭|懲戒/,
    ],
    [
      /\b(?:sues?\b|sued\b|lawsuits?|class action|legal action|compensation|payout|settles?\b|settlement)/,
      /提訴|訴訟|賠償|和解/,
    ],
    [/\b(?:fined?\b|fines\b|penalt(?:y|ies)|record fine)/, /罰金|課徴金|業務停止|行政処分|改善命令|行政指導/],
  ],
  // Inquiries
  [
    [
      /\b(?:(?:opens?|opened|launch(?:es|ed)?|begins?|began|starts?|orders?|ordered|announces?|faces?|facing|calls? for) (?:[^ ,:;]+ ){0,5}(?:probe|investigation|inquiry|review|audit)|to (?:investigate|probe|review)|under investigation|investigat(?:es|ing)|probes\b)/,
      /調査開始|調査へ|捜査開始|捜査へ|第三者委(?:員会)?設置|立ち入り検査|家宅捜索/,
    ],
    [
      /\b(?:(?:probe|investigation|inquiry|review|audit|report|watchdog|panel|commission) (?:\w+ )?(?:finds?|found|concludes?|clears?|cleared|says?|blames?|reveals?|criticises|criticizes|slams|closed|dropped|ends?)|cleared (?:of|by|in)|findings|no (?:wrongdoing|evidence)|drops? (?:[^ ,:;]+ ){0,3}(?:probe|investigation|inquiry)|damning report)\b/,
      /調査報告|調査結果|最終報告|不起訴|認定|結論/,
    ],
    [
      /\b(?:charged with|charges? (?:against|filed)|indict\w*|fine[sd]?\b|fines\b|penalt\w*|prosecut(?:ed|ion))/,
      /起訴(?!内容)|告発|課徴金|処分/,
    ],
  ],
  // Fines and rulings of authorities
  [
    [/\b(?:fine[sd]?\b|fines\b|penalt(?:y|ies)|ordered to pay|hit with)\b/, /罰金|課徴金|制裁金|排除措置/],
    [
      /\b(?:(?:appeals?|challenges?|contests?|fights?) (?:[^ ,:;]+ ){0,5}(?:fine|penalty|ruling|order|decision)|(?:fine|penalty) (?:[^ ,:;]+ ){0,2}(?:annulled|overturned|cut|reduced|quashed|upheld|thrown out|scrapped)|(?:annul|overturn|quash|cut|reduc|uphold|upheld|scrap)\w* (?:[^ ,:;]+ ){0,5}(?:fine|penalty)|refuses? to pay)\b/,
      /不服|取り消し|異議/,
    ],
  ],
  // Protests
  [
    [
      /\b(?:protest(?:s|ers?|ed)?|rall(?:y|ies)|march(?:es|ed)?|demonstrat\w+|riots?|rioters|unrest|clash(?:es|ed)?|take to (?:the )?streets|blockades?|sit-in)\b/,
      /デモ|抗議|暴動|集会/,
    ],
    [
      /\b(?:crack(?:s|ed)? ?down|crackdown|curfew|martial law|state of emergency|tear gas|water cannon|internet (?:cut|shut|blocked)|army deployed|troops deployed|deploys? (?:troops|army|soldiers))\b/,
      /鎮圧|戒厳|非常事態|外出禁止|催涙/,
    ],
    [
      /\b(?:resign(?:s|ed)?|bows? to|concessions?|concedes|withdraws?|scrap(?:s|ped)|backs? down|u-turn|curfew (?:lifted|ends)|lifts? (?:[^ ,:;]+ ){0,2}(?:curfew|emergency)|calm returns|flees? (?:country|abroad)|early election|toppled|overthrown)\b/,
      /辞任|撤回|解除|国外脱出|退陣/,
    ],
  ],
  // Removal from office by parliament or court
  [
    [
      /\b(?:impeachment (?:motion|bid|vote|push|trial|hearing|inquiry|proceedings)|to impeach|calls? to impeach|no[ -]confidence (?:motion|vote)|faces? (?:impeachment|no[ -]confidence))\b/,
      /弾劾訴追案|不信任案(?:を)?提出|弾劾へ/,
    ],
    [
      /\b(?:impeach(?:es|ed)\b|votes? to (?:impeach|remove|oust)|removed from office|loses? (?:\w+ )?confidence|ousted by|toppled|(?:ousts?|removes?|topples?) (?:[^ ,:;]+ ){0,2}(?:president|minister|premier|chancellor|government|speaker|mayor|leader))\b/,
      /弾劾可決|訴追案可決|不信任案(?:を|が)?可決|失職|罷免/,
    ],
    [
      /\b(?:surviv(?:es|ed)|acquitted|reinstat\w*|(?:court|senate) (?:upholds|overturns|acquits|clears|removes))\b/,
      /弾劾棄却|復職|否決/,
    ],
  ],
  // Strikes, before and while they are on
  [
    [
      /\b(?:to strike|(?:vote|voted|votes|ballot(?:ed|s)?) (?:[^ ,:;]+ ){0,3}(?:strike|walk|action)|strike (?:vote|ballot|notice|threat|call|plan|date|dates|looms|planned|set|warning)|(?:threaten|plan|call|announce|warn)\w* (?:[^ ,:;]+ ){0,4}(?:strikes?|walkouts?|industrial action)|set to (?:strike|walk))\b/,
      /スト予告|スト通告|スト権確立|スト決行へ|スト突入へ/,
    ],
    [
      /\b(?:strikes? (?:\w+ )?(?:begins?|began|starts?|started|under way|underway|enters?|continues?|drags|bites|day)|(?:second|third|fourth|fifth|final) day (?:of|as)|day (?:two|three|four|five)|(?:begins?|began|start(?:s|ed)?) (?:[^ ,:;]+ ){0,4}(?:strike|walkout)|on strike)\b/,
      /スト突入(?!へ)|スト開始|スト\d日目|スト続く/,
    ],
  ],
  // Stolen goods and fugitives
  [
    [
      /\b(?:stolen|steals?|stole|thefts?|heists?|robbed|escap(?:e|es|ed)|on the (?:loose|run)|at large|manhunt|fugitive|looted|smuggled|lost|missing|vanish(?:es|ed)|sought|hunted)\b/,
      /盗|脱走|逃走|逃亡|指名手配|紛失/,
    ],
    [
      /\b(?:(?:stolen|missing|lost|looted|smuggled) (?:[^ ,:;]+ ){1,6}(?:found|recovered|returned|retrieved|back|turns? up)|(?:recover(?:s|ed)?|find(?:s)?|found|return(?:s|ed)?|retriev(?:es|ed)) (?:[^ ,:;]+ ){0,5}(?:stolen|looted|missing|smuggled)|(?:re)?captured|recaptured|caught|tracked down|turns? up|returned to (?:\w+ )?(?:owner|museum|family|zoo)|handed back|back (?:in (?:custody|zoo|enclosure|prison|jail)|behind bars)|(?:paintings?|treasures?|gold|jewels?|artworks?|statues?|loot|coins?|masterpieces?) (?:is |are )?(?:recovered|found|returned))\b/,
      /発見|回収|返還|見つかる|捕獲|確保|逮捕/,
    ],
  ],
  // Shortages and restrictions, until they are lifted
  [
    [
      /\b(?:ration(?:s|ed|ing)?|hosepipe ban|water (?:limits|restrictions|shortage|cuts)|drought|boil[ -]water|boil (?:[^ ,:;]+ )?water|bars? imports?|lockdowns?|curfews?|quarantine|state of emergency|evacuation orders?|grounded|airspace (?:closed|shut)|border (?:closed|shut)|travel ban)\b/,
      /給水制限|断水|渇水|外出禁止|緊急事態宣言|避難指示|封鎖|飛行停止/,
    ],
    [
      /\b(?:(?:ends?|ended|lifts?|lifted|eases?|eased|removes?|scraps?|relax(?:es|ed)?) (?:[^ ,:;]+ ){0,5}(?:ration(?:ing)?|ban|limits|restrictions|shortage|lockdowns?|curfews?|quarantine|emergency|orders?|notice|grounding)|(?:rationing|ban|limits|restrictions|lockdown|curfew|quarantine|emergency|order|notice) (?:\w+ )?(?:lifted|ends?|ended|over|eased|removed|scrapped)|airspace reopen\w*|border reopen\w*|reopens? (?:[^ ,:;]+ ){0,2}(?:border|airspace)|all-clear)\b/,
      /解除|全面復旧|給水再開|制限緩和|封鎖解除|飛行再開/,
    ],
  ],
  // Help for those who cannot pay
  [
    [
      /\b(?:(?:seeks?|asks? (?:[^ ,:;]+ )?for|requests?|needs?|pleads for|applies for) (?:[^ ,:;]+ ){0,4}(?:bail-?out|aid|loan|rescue|help)|miss(?:es|ed) (?:[^ ,:;]+ ){0,2}payment|default (?:looms|fears|risk)|on (?:the )?brink|near default|runs? out of (?:cash|money)|debt crisis|liquidity crisis)\b/,
      /支援要請|資金繰り|債務不履行の恐れ|経営危機/,
    ],
    [
      /\b(?:(?:gets?|secures?|wins?|receives?|agrees?|approves?|grants?|unlocks?|clinches?) (?:[^ ,:;]+ ){0,5}(?:bail-?out|loan|aid|rescue|lifeline|funding)|bail-?out (?:agreed|approved|deal)|deal with (?:[^ ,:;]+ )?(?:creditors|lenders|bondholders|imf)|debt deal|restructur(?:es|ing) (?:deal|agreed|plan)|bailed out)\b/,
      /支援決定|融資決定|再建計画|債権者(?:と)?合意/,
    ],
    [
      /\b(?:defaults?\b(?! (?:looms|fears|risk))|defaulted|bankrupt\w*|insolven\w*|goes? (?:bust|under)|chapter 11|liquidat\w*|collapses?|collapsed|repays?|repaid|exits? bail-?out)\b/,
      /破綻|倒産|破産|デフォルト|民事再生|完済/,
    ],
  ],
  // Books and albums
  [
    [
      /\b(?:to (?:release|publish|pen|write|record|drop)|announces? (?:[^ ,:;]+ ){0,3}(?:album|book|memoir|novel|single|record)|writing (?:[^ ,:;]+ ){0,3}(?:book|memoir|novel)|working on (?:[^ ,:;]+ ){0,3}(?:album|book|memoir|novel)|(?:album|book|memoir|novel) (?:announced|due|coming|deal))\b/,
      /発売へ|リリース決定|執筆中|新作発表|刊行へ/,
    ],
    [
      /\b(?:(?:releases|released|drops|dropped|publishes|published) (?:[^ ,:;]+ ){0,4}(?:album|book|memoir|novel|single)|out now|book (?:launch|signing|tour|fair)|reads? (?:from|to)|hits? (?:shelves|bookshops|bookstores|stores)|surprise album)\b/,
      /刊行(?!へ)|発売記念|サイン会|朗読/,
    ],
    [
      /\b(?:tops? (?:[^ ,:;]+ ){0,4}(?:charts?|billboard|list|bestseller)|number one|no\. ?1|enters? (?:[^ ,:;]+ ){0,4}(?:charts?|billboard)|best-?sellers?|(?:million|thousand) copies|charts? record|first week)\b/,
      /首位|初登場1位|ミリオン|重版|万部/,
    ],
  ],
  // Journeys and attempts
  [
    [
      /\b(?:sets? (?:off|out|sail)|set (?:off|out|sail)|embarks? on|begins? (?:[^ ,:;]+ ){0,4}(?:journey|voyage|trek|walk|attempt|crossing|climb|expedition)|(?:attempts?|aims?|hopes?|bids?|tries) to (?:[^ ,:;]+ ){0,3}(?:cross|row|sail|climb|swim|cycle|walk|break|become)|leaves? on)\b/,
      /出発|挑戦へ|出航|スタート/,
    ],
    [
      /\b(?:complet(?:es|ed)|finish(?:es|ed)|reach(?:es|ed) (?:[^ ,:;]+ ){0,3}(?:summit|pole|shore|top|peak|finish|goal|end)|arriv(?:es|ed) (?:in|at|back|home)|becomes? (?:the )?(?:first|youngest|oldest)|summits|conquers?|crosses|crossed|ends? (?:[^ ,:;]+ ){0,4}(?:journey|voyage|trek|walk|crossing))\b/,
      /達成|成功|完走|登頂|横断|到着|ゴール/,
    ],
    [
      /\b(?:(?:abandons?|gives? up|calls? off|aborts?|cuts? short) (?:[^ ,:;]+ ){0,4}(?:attempt|bid|journey|voyage|trek|crossing|climb|expedition)|(?:attempt|bid|journey|voyage|crossing|expedition) (?:\w+ )?(?:abandoned|fails?|failed|ends? in|cut short|aborted)|forced to turn back|rescued (?:from|off|after))\b/,
      /断念|引き返|失敗|救助/,
    ],
  ],
  // First figures and findings, and what became of them
  [
    [
      /\b(?:grew|grows|growth|gdp|economy|shr(?:ank|inks)|contract(?:s|ed)|expand(?:s|ed)|first estimate|flash)\b/,
      /速報値|成長率|gdp/,
    ],
    [/\b(?:revis(?:es|ed|ion)|second estimate|final estimate|restat(?:es|ed))\b/, /改定|確報|修正値/],
  ],
  [
    [
      /\b(?:stud(?:y|ies)|scientists?|researchers?|discover(?:s|ed|y)?|breakthrough|paper|finds?|claims?)\b/,
      /研究|発見|論文/,
    ],
    [
      /\b(?:retract(?:s|ed|ion)?|(?:fails?|failed) to (?:replicate|reproduce|confirm)|debunk\w*|refut(?:es|ed)|cast(?:s)? doubt|disputed|withdrawn|fabricat\w+|faked)\b/,
      /撤回|取り下げ|捏造|再現できず|疑義/,
    ],
  ],
  // Games, fairs and festivals
  [
    [
      /\b(?:(?:bids?|candidates?|applies|wants|hopes|vies?|vying) (?:[^ ,:;]+ ){0,2}(?:for|to) (?:\w+ )?host|bid to host|host bid|candidate cit(?:y|ies))\b/,
      /招致|立候補都市/,
    ],
    [
      /\b(?:(?:chosen|picked|selected|awarded|named|wins?|won) (?:[^ ,:;]+ ){0,6}(?:to host|as host|hosts?)|will host|gets? (?:[^ ,:;]+ ){0,3}(?:games|olympics|world cup|expo))\b/,
      /開催地に|開催決定|開催都市/,
    ],
    [
      /\b(?:opening (?:ceremony|day|night)|kicks? off|(?:games|olympics|festival|fair|expo|world cup|championships?|carnival) (?:opens?|begins?|starts?|under way)|gets? under way|opens? (?:[^ ,:;]+ ){0,2}(?:games|olympics|festival|fair|expo))\b/,
      /開幕|開会式/,
    ],
    [
      /\b(?:closing (?:ceremony|day|night)|(?:games|olympics|festival|fair|expo|carnival) (?:ends?|closes?|ended|closed|over|draws to)|curtain (?:falls|comes down)|draws? to (?:a )?close|flame (?:goes out|extinguished))\b/,
      /閉幕|閉会式/,
    ],
  ],
  // Reactors and plants
  [
    [
      /\b(?:restart(?:s|ed|ing)?|back (?:online|on ?line|in operation)|reactivat\w*|generat(?:es|ing) power|goes? (?:online|critical))\b/,
      /再稼働|起動|送電開始|臨界/,
    ],
    [
      /\b(?:(?:approv|allow|clear|permit|back|agree|consent|authori[sz]|green[ -]?light)\w* (?:[^ ,:;]+ ){0,4}(?:restart|reactor|reopening)|restart (?:approved|cleared|agreed|backed|allowed)|consents?)\b/,
      /容認|同意|許可|認可|合格/,
    ],
    [
      /\b(?:blocks? (?:[^ ,:;]+ ){0,3}restart|(?:court|judge) (?:halts?|bars?|orders?)|shut(?:s)? ?down|shutdown|trips|manual stop|automatic(?:ally)? stop\w*)\b/,
      /差し止め|停止|緊急停止|自動停止/,
    ],
    [/\b(?:commercial (?:operation|use)|full (?:power|capacity))\b/, /営業運転|フル稼働/],
  ],
  // Negotiations
  [
    [
      /\b(?:(?:talks|negotiations) (?:[^ ,:;]+ ){0,4}(?:begin|start|resume|open|continue|under way)|(?:begin|start|resume|open|restart|enter)s? (?:[^ ,:;]+ ){0,4}(?:talks|negotiations)|back to (?:the )?(?:table|talks))\b/,
      /協議開始|交渉開始|交渉入り|協議再開|交渉再開/,
    ],
    [
      /\b(?:(?:talks|negotiations) (?:[^ ,:;]+ ){0,4}(?:fail|fails|failed|break|breaks|broke|collapse|collapsed|collapses|stall|stalled|stalls|deadlocked|founder|end without|falter|suspended)|deadlocks?|impasse|stalemate|without (?:a )?(?:deal|agreement)|walks? out of (?:[^ ,:;]+ )?talks|breaks? off (?:[^ ,:;]+ )?talks)\b/,
      /決裂|物別れ|平行線|交渉打ち切り|合意に至らず/,
    ],
    [
      /\b(?:(?:reach|strik|clinch|seal|sign|agree|land|secur)\w* (?:[^ ,:;]+ ){0,4}(?:deal|agreement|accord|pact|treaty|compromise)|(?:deal|agreement|accord|pact|treaty|compromise) (?:[^ ,:;]+ )?(?:reached|signed|struck|agreed|sealed|clinched)|breakthrough)\b/,
      /大筋合意|合意(?!に至らず)|妥結|調印|署名/,
    ],
  ],
];
