/**
 * Topics, written by hand. `=` names a topic in both languages (`<` the fields that its words belong to); `+` parts and kinds
 * of it, `~` words that such texts use, `?` names that often mean something else.
 */
export const CONCEPTS = `
= machine learning | 機械学習 | ML < technology
+ deep learning, 深層学習, ディープラーニング, neural network, ニューラルネットワーク, reinforcement learning, 強化学習, 基盤モデル, foundation model
~ training data, 学習データ, inference, 推論, dataset, データセット, GPU, model, モデル, accuracy, 精度, weights, benchmark, 学習

= generative AI | 生成AI | LLM | large language model | 大規模言語モデル | generative artificial intelligence < technology
+ chatbot, チャットボット, image generation, 画像生成, ChatGPT, Gemini, Claude, 対話型AI, AIモデル, AI model, text-to-image, 言語モデル, language model
~ prompt, プロンプト, hallucination, ハルシネーション, training data, 学習データ, モデル, model, AI, 人工知能

= AI | 人工知能 | artificial intelligence < technology
+ 生成AI, generative AI, 機械学習, machine learning, LLM, large language model, 大規模言語モデル, deep learning, 深層学習
~ model, モデル, chatbot, 学習データ, training data, 推論, inference

= semiconductor | 半導体 | microchip | computer chip < technology
+ wafer, ウエハー, ウェハー, foundry, ファウンドリー, lithography, 露光装置, DRAM, NAND, chipmaker, 半導体メーカー, TSMC, ラピダス, Rapidus, integrated circuit, 集積回路
~ fab, 工場, chip, nanometre, nanometer, ナノメートル, 微細化, 製造装置, silicon, シリコン

= copyright | 著作権
+ 著作物, 著作権法, copyright law, fair use, 著作権者, piracy, 海賊版, infringement, 無断転載, royalties, 使用許諾
~ creator, author, 作家, クリエーター, license, licence, 権利, rights holder, 文化庁, lawsuit, 訴訟

= robot | ロボット | robotics < technology
+ ヒューマノイド, humanoid, 産業用ロボット, robotic arm, ロボットアーム, 配膳ロボット, 自律走行, drone, ドローン
~ sensor, センサー, actuator, アクチュエーター, automation, 自動化, gripper, 関節

= security | セキュリティ | cybersecurity | サイバーセキュリティ | 情報セキュリティ | computer security < technology
+ vulnerability, 脆弱性, ransomware, ランサムウェア, ランサムウエア, malware, マルウェア, phishing, フィッシング, 不正アクセス, zero-day, ゼロデイ, サイバー攻撃, cyberattack, data breach, 情報漏えい, 情報漏洩, CVE, exploit, 標的型攻撃, backdoor, バックドア, 多要素認証, two-factor authentication
~ attacker, 攻撃者, patch, 修正プログラム, password, パスワード, server, サーバー, hacker, ハッカー, advisory, JPCERT, 侵入, 悪用, software, ソフトウェア, アップデート
? security, セキュリティ

= privacy | プライバシー | 個人情報保護 | data protection < technology
+ 個人情報, personal data, personal information, GDPR, tracking, 追跡, 個人情報保護委員会, 個人データ, 顔認証, facial recognition, surveillance, 監視カメラ, consent, cookie consent, 位置情報, location data
~ 同意, regulator, 本人, third party, 第三者提供, 匿名

= cryptography | 暗号 | 暗号技術 | encryption | 暗号化 < technology
+ end-to-end encryption, エンドツーエンド暗号化, 公開鍵, public key, private key, 秘密鍵, post-quantum, 耐量子, cipher, hash function, ハッシュ関数, digital signature, 電子署名, TLS, AES, RSA, 楕円曲線, elliptic curve
~ key, 鍵, algorithm, アルゴリズム, NIST, protocol, プロトコル, certificate, 証明書
? 暗号

= quantum computer | 量子コンピュータ | 量子コンピューター | quantum computing < technology | science
+ qubit, 量子ビット, quantum processor, 量子プロセッサ, 量子計算, quantum error correction, 量子誤り訂正, 量子アニーリング, superconducting qubit, 量子技術
~ error rate, dilution refrigerator, 希釈冷凍機, 超伝導, entanglement, もつれ

= Rust | Rust言語 | Rust language | Rust programming < technology
+ borrow checker, crates.io, rustc, Tokio, cargo crate, Rustacean
~ crate, cargo, compiler, コンパイラ, memory safety, メモリ安全, memory-safe, ownership, 所有権, unsafe, async, lifetime, C++, programming, プログラミング, kernel, カーネル, library, ライブラリ, developer, 開発者, code, コード, language, software, systems programming, トレイト, trait, backend, バックエンド
? Rust

= Go | Golang | Go言語 < technology
+ goroutine, gofmt, go module
~ compiler, concurrency, garbage collector, programming, プログラミング, コンパイラ, code, コード, binary, channel, library, ライブラリ, package
? Go

= Python | Python言語 < technology
+ CPython, PyPI, Django, NumPy, pandas, asyncio
~ programming, プログラミング, library, ライブラリ, package, interpreter, code, コード, script, developer, 開発者, GIL
? Python

= JavaScript | TypeScript | ECMAScript < technology
+ Node.js, Deno, React, npm package, V8, bundler
~ browser, ブラウザ, frontend, フロントエンド, runtime, framework, フレームワーク, library, ライブラリ

= Java < technology
+ JVM, Spring Boot, OpenJDK, Kotlin
~ programming, プログラミング, garbage collector, bytecode, framework, enterprise, code, コード
? Java

= Swift < technology
+ SwiftUI, Xcode
~ Apple, iOS, compiler, programming, app, コード
? Swift

= Ruby < technology
+ Ruby on Rails, RubyGems
~ gem, programming, プログラミング, framework, Rails, コード
? Ruby

= PostgreSQL | Postgres < technology
+ pgvector, PgBouncer, psql, PL/pgSQL
~ database, データベース, query, クエリ, index, インデックス, vacuum, replication, レプリケーション, SQL, transaction, トランザクション, schema

= SQLite < technology
+ WAL mode, libSQL
~ database, データベース, embedded, SQL, query, transaction

= database | データベース | DBMS < technology
+ PostgreSQL, Postgres, MySQL, SQLite, MongoDB, SQL, NoSQL, query planner
~ index, query, クエリ, transaction, トランザクション, schema, replication

= Kubernetes | k8s < technology
+ kubelet, kubectl, Helm chart, etcd, container orchestration, コンテナオーケストレーション, Kubernetesクラスタ
~ cluster, クラスタ, pod, container, コンテナ, node, operator, autoscaler, namespace, ingress, deployment, YAML

= container | コンテナ技術 | コンテナ < technology
+ Docker, OCI image, containerd, Podman
~ image, registry, runtime, Linux, deploy, namespace, cgroup, イメージ, クラウド
? container, コンテナ

= web accessibility | アクセシビリティ | accessibility | a11y | ウェブアクセシビリティ < technology
+ WCAG, screen reader, スクリーンリーダー, alt text, 代替テキスト, ARIA, keyboard navigation, キーボード操作, color contrast, colour contrast, assistive technology, 支援技術
~ contrast, focus, label, browser, keyboard, blind, 視覚障害, website, ウェブサイト, disability, 障害者, 障害のある
? accessibility, アクセシビリティ

= WebAssembly | wasm < technology
+ WASI, wasmtime, Wasmer, component model
~ browser, ブラウザ, sandbox, module, runtime, compile, コンパイル, bytecode

= open source | オープンソース | OSS | free software < technology
+ open-source licence, open-source license, GPL, Apache License, maintainer, メンテナー, GitHub
~ contributor, 貢献者, repository, リポジトリ, code, コード, licence, license, project, プロジェクト

= Linux < technology
+ Linux kernel, Linuxカーネル, systemd, Debian, Ubuntu, eBPF
~ kernel, カーネル, distribution, ディストリビューション, driver, filesystem

= cloud | クラウド | cloud computing | クラウドコンピューティング < technology
+ AWS, Azure, Google Cloud, serverless, サーバーレス, data center, data centre, データセンター, ガバメントクラウド
~ region, instance, storage, ストレージ, outage, 障害, server, サーバー, 移行
? cloud, クラウド

= startup | スタートアップ | 新興企業 < business
+ venture capital, ベンチャーキャピタル, 資金調達, seed round, Series A, シリーズA, unicorn company, ユニコーン企業
~ founder, 創業者, investor, 投資家, funding, 投資, valuation

= childcare support | 子育て支援 | 子育て | childcare < parenting
+ 保育所, 保育園, 保育士, 児童手当, 育児休業, 待機児童, こども園, こども家庭庁, 学童保育, 産後ケア, 放課後児童クラブ, child allowance, nursery, parental leave, 少子化対策, 一時預かり
~ 子ども, こども, 親, 保護者, 園, 家庭, 出産, 給付, 乳幼児, children, parent

= education | 教育 < education
+ 学習指導要領, 文部科学省, 教員, school curriculum, teacher, GIGAスクール, 小学校, 中学校, 高校, 大学入試, 不登校
~ 学校, 児童, 生徒, school, student, 授業, pupil, classroom

= renewable energy | 再生可能エネルギー | 再エネ | クリーンエネルギー < energy | environment
+ 太陽光発電, 太陽光, ソーラーパネル, solar panel, solar power, solar farm, 風力発電, 洋上風力, wind farm, offshore wind, wind turbine, 地熱発電, geothermal, 水力発電, hydropower, バイオマス発電, ペロブスカイト, 固定価格買い取り, 固定価格買取, 出力制御, 蓄電池, grid battery
~ 発電, 電力, 電力会社, 送電, 系統, 脱炭素, megawatt, gigawatt, キロワット, メガワット, grid, electricity, turbine, panel, 温室効果ガス

= climate change | 気候変動 | 地球温暖化 | 温暖化 | global warming < environment
+ 脱炭素, カーボンニュートラル, carbon neutral, greenhouse gas, 温室効果ガス, carbon emissions, 排出量, 排出量取引, IPCC, COP30, net zero, 猛暑日, heatwave
~ 気温, temperature, 二酸化炭素, CO2, emission, drought, 干ばつ, flood

= nuclear power | 原子力発電 | 原発 | 原子力 < energy
+ 原子炉, reactor, 再稼働, 使用済み核燃料, 廃炉, 原子力規制委員会, small modular reactor
~ 発電, 電力, 放射性, radioactive, 燃料, fuel

= local transport | 地域交通 | 公共交通 | public transport | transit | 地域公共交通 < transport
+ 路線バス, コミュニティバス, ライドシェア, デマンド交通, オンデマンド交通, ローカル線, 赤字路線, 乗り合いタクシー, 乗合タクシー, 交通空白, 鉄道の存廃, tram, bus route, light rail, 自動運転バス, BRT, LRT, bus service
~ バス, 運転手, 鉄道, タクシー, 運賃, 乗客, 路線, ダイヤ, passenger, fare, timetable, 沿線, 廃線

= disaster prevention | 防災 | 減災 | disaster preparedness | 災害対策 < weather
+ 避難所, 避難指示, ハザードマップ, 津波, 地震, 南海トラフ, 備蓄, 防災訓練, 土砂災害, 線状降水帯, 緊急地震速報, 被災, 被災地, 洪水, 耐震, evacuation, earthquake, tsunami, flood warning, early warning, 避難, 浸水, flood map, flood risk, flood defence, hazard map, disaster drill
~ 災害, 警報, 自治体, 住民, 気象庁, 消防, 大雨, 台風, 復旧, 仮設住宅, flood

= consumption tax | 消費税 | sales tax | VAT < politics
+ 軽減税率, インボイス制度, インボイス, 適格請求書, 増税, 減税, 税率引き上げ, 税率
~ 税収, 財源, 納税, 財務省, 事業者, 免税, 国税庁

= tax | 税金 | 税制 < business
+ 所得税, 法人税, 消費税, 減税, 増税, 税制改正, income tax, corporate tax, 相続税, 確定申告, ふるさと納税
~ 財務省, 国税庁, 税収, 財源, 控除, 納税
? tax

= economy | 経済 | 景気 < business
+ GDP, 国内総生産, 物価, インフレ, inflation, recession, 景気後退, 金利, interest rate, 日銀, 日本銀行, central bank, 賃上げ, 個人消費, 失業率, unemployment
~ 円安, 株価, market, 市場, 企業, 消費, 増加率, 前年同月比
? 経済

= monetary policy | 金融政策 < business
+ 利上げ, 利下げ, 日銀, 日本銀行, FRB, Federal Reserve, interest rate, 政策金利, 量的緩和, central bank
~ 物価, inflation, 円安, 国債, 金利, bond

= health care | 医療 | healthcare | medicine < health
+ 病院, hospital, 診療報酬, 電子カルテ, 医師, doctor, patient, 患者, clinical trial, 治験, オンライン診療, vaccine, ワクチン, 手術, surgery, 看護師
~ 治療, treatment, 診断, diagnosis, 厚生労働省, 薬, drug

= nursing care | 介護 | elderly care < health
+ 介護保険, 介護職員, 特別養護老人ホーム, 認知症, ケアマネジャー, 訪問介護, care home, dementia
~ 高齢者, 施設, 利用者, 家族, 厚生労働省, elderly

= agriculture | 農業 | farming < agriculture and fisheries
+ 農家, 稲作, コメ, 米価, 農林水産省, 畜産, farmer, crop, harvest, スマート農業, 農地, 有機農業, livestock, irrigation
~ 収穫, 作付け, 生産者, 田, 畑, soil, field, 肥料, fertilizer

= fisheries | 漁業 | 水産業 < agriculture and fisheries
+ 漁獲, 漁師, 養殖, サンマ, マグロ, クロマグロ, fishing quota, aquaculture, 漁港, 水産庁, fishing vessel
~ 海, 魚, catch, fish, 海水温, 資源, 水揚げ

= space | 宇宙 | 宇宙開発 | space exploration < space
+ ロケット, rocket, 人工衛星, satellite, JAXA, NASA, 月面, lunar, 探査機, space probe, H3, spacecraft, 国際宇宙ステーション, space station, orbit, 打ち上げ, asteroid, 小惑星
~ 軌道, launch, mission, エンジン, 観測, 地球, Mars, 火星, telescope
? space, 宇宙

= astronomy | 天文学 | 天文 < space
+ telescope, 望遠鏡, galaxy, 銀河, exoplanet, 系外惑星, black hole, ブラックホール, supernova, 超新星, comet, 彗星, nebula, 重力波
~ star, 恒星, light-year, 光年, 観測, observation, orbit

= biology | 生物学 | 生物 < science
+ gene, 遺伝子, genome, ゲノム, protein, タンパク質, evolution, 進化, species, 新種, cell biology, 細胞, CRISPR, ゲノム編集, ecosystem, 生態系
~ research, 研究, 実験, laboratory, DNA, organism

= gardening | 園芸 | ガーデニング | 家庭菜園 < lifestyle
+ allotment, compost, 堆肥, pruning, 剪定, seedling, 苗, perennial, flower bed, 花壇, raised bed, greenhouse, mulch, vegetable garden, rose, bulbs, weeding, 草取り
~ soil, 土, plant, 植物, seed, 種, garden, 庭, bloom, tomato, shade, watering, 水やり

= sourdough | サワードウ | bread baking | パン作り | パン < food
+ sourdough starter, levain, baguette, baker, bakery, ベーカリー, dough, 生地, 天然酵母, loaf, rye bread, 食パン
~ flour, 小麦粉, oven, オーブン, yeast, 酵母, fermentation, 発酵, crust, bake, knead, wheat
? sourdough

= cooking | 料理 | recipe | レシピ < food
+ cuisine, chef, シェフ, restaurant, レストラン, 調理, kitchen, ingredient, 食材
~ flavor, flavour, 味, oven, 鍋, sauce, 煮る, 焼く

= cycling | 自転車 | bicycle | bike | サイクリング
+ cyclist, bike lane, cycle path, 自転車道, 自転車レーン, ロードバイク, road bike, Tour de France, ツール・ド・フランス, e-bike, 電動アシスト自転車, peloton, velodrome, bike share, シェアサイクル, gravel bike, サイクリスト
~ helmet, ヘルメット, saddle, wheel, rider, ride, tyre, pedal, 走行, rack, handlebar
? bike, cycling

= running | ランニング | marathon | マラソン < sport
+ 駅伝, trail running, half marathon, ランナー, runner, ultramarathon
~ race, 大会, pace, training, shoe, 完走, km
? running

= football | サッカー | soccer < sport
+ Jリーグ, ワールドカップ, World Cup, Premier League, goalkeeper, ゴールキーパー, midfielder, 日本代表, UEFA, Champions League
~ goal, 得点, 試合, match, 監督, coach, league, リーグ, 選手, player
? football

= baseball | 野球 < sport
+ プロ野球, 大リーグ, MLB, 甲子園, pitcher, 投手, home run, 本塁打, 打者, 大谷翔平, World Series
~ 試合, game, 選手, inning, チーム, 球場, stadium

= chess | チェス
+ grandmaster, グランドマスター, checkmate, Stockfish, Elo rating, chessboard, FIDE, chess opening, endgame
~ opening, king, pawn, queen, board, tournament, move, player, 世界王者
? chess

= shogi | 将棋
+ 棋士, 藤井聡太, 名人戦, 竜王戦, 棋聖戦, 王将戦
~ 対局, 王手, 先手, 後手, 挑戦者, 盤

= video games | ゲーム | video game | gaming < games
+ Nintendo, 任天堂, PlayStation, プレイステーション, Steam, eスポーツ, esports, game developer, ゲーム開発, indie game, インディーゲーム, RPG, Xbox, ゲーム機, Switch
~ player, プレイヤー, console, level, release, 発売, controller, アクション

= public libraries | library | 図書館 | 公共図書館 | public library < books
+ librarian, 司書, interlibrary loan, 電子図書館, library card, bookmobile, 移動図書館, 貸し出し, 図書館員, library branch, 蔵書
~ book, 本, reader, reading, 読書, shelf, borrow, loan, patron, branch, 資料, patrons, storytime
? library

= books | 本 | 読書 | literature | 文学 < books
+ novel, 小説, 芥川賞, 直木賞, bookshop, 書店, publisher, 出版, author, 作家, poetry, 詩集, 翻訳書, エッセー
~ reader, 読者, page, 作品, story, 物語, chapter
? 本

= film | 映画 | cinema | movie < film
+ 映画監督, film director, box office, 興行収入, アニメ映画, documentary film, 映画祭, film festival, アカデミー賞, Oscar, screenplay, 脚本
~ actor, 俳優, 主演, screening, 上映, 劇場, scene

= music | 音楽 < music
+ album, アルバム, concert, コンサート, orchestra, オーケストラ, singer, 歌手, バンド, jazz, ジャズ, クラシック音楽, composer, 作曲家, ライブ, festival, streaming, 配信
~ song, 曲, tour, piano, guitar, 演奏, stage

= art | 美術 | アート < arts
+ museum, 美術館, exhibition, 展覧会, painting, 絵画, sculpture, 彫刻, 現代アート, contemporary art, artist, 画家, 浮世絵, gallery
~ canvas, 作品, collection, curator, 学芸員
? art

= tourism | 観光 | travel | 旅行 < travel
+ インバウンド, 訪日客, 訪日外国人, overtourism, オーバーツーリズム, 宿泊税, hotel, ホテル, 旅館, 観光客, tourist, 観光庁, 温泉, 民泊
~ visitor, 宿泊, attraction, 名所, 予約, 空港, airport

= housing | 住宅 < real estate
+ rent, 家賃, mortgage, 住宅ローン, 空き家, マンション, real estate, 不動産, affordable housing, 住宅価格, 地価, tenant, landlord
~ 建設, building, apartment, 価格, 土地

= population | 人口 | demographics | 人口減少
+ 少子化, 出生率, birth rate, 出生数, 高齢化, aging population, ageing population, 移住, 過疎, depopulation, 国勢調査, census, 合計特殊出生率
~ 世帯, 自治体, 若者, 転入, 転出, 推計

= digital government | 行政デジタル化 | デジタル行政 | デジタル庁 | e-government < politics
+ マイナンバー, マイナンバーカード, マイナ保険証, オンライン申請, 電子申請, digital ID, ガバメントクラウド, オープンデータ, open data, 自治体システム
~ 手続き, 申請, 窓口, システム, 標準化, 住民, data, データ

= employment | 雇用 | 労働 | labor | labour < work
+ 賃上げ, 最低賃金, minimum wage, 失業率, unemployment, 働き方改革, 残業, テレワーク, remote work, 非正規, 春闘, trade union, 労働組合, 人手不足, labor shortage, 転職, layoff, strike, フリーランス
~ 賃金, wage, worker, 労働者, 厚生労働省, 企業, employee, 採用, 従業員

= electric vehicles | 電気自動車 | EV | electric vehicle | electric car < cars
+ charging station, 充電器, 充電スタンド, 急速充電, hybrid car, ハイブリッド車, Tesla, テスラ, BYD, plug-in, 車載電池, EV battery, 全固体電池
~ battery, 電池, 車, car, automaker, 自動車メーカー, range, 航続距離, motor

= autonomous driving | 自動運転 | self-driving | driverless < cars
+ 自動運転バス, robotaxi, ロボタクシー, レベル4, lidar, 自動運転車, self-driving car
~ 運転, vehicle, 車, sensor, センサー, road, 実証実験, 道路

= aviation | 航空 | airline | 航空機 < transport
+ airport, 空港, aircraft, passenger jet, 旅客機, Boeing, ボーイング, Airbus, エアバス, pilot shortage, 管制官, 全日空, 日本航空
~ flight, 便, runway, 滑走路, 乗客, 運航, passenger, airport

= railway | 鉄道 | train travel | rail < transport
+ 新幹線, Shinkansen, リニア, JR東日本, JR北海道, JR東海, high-speed rail, locomotive, 在来線, ローカル線, 駅舎, sleeper train, 私鉄
~ 列車, train, 駅, station, 線路, track, 運行, 乗客, timetable

= cryptocurrency | 暗号資産 | 仮想通貨 | bitcoin | ビットコイン < business
+ blockchain, ブロックチェーン, Ethereum, イーサリアム, stablecoin, ステーブルコイン, crypto exchange, NFT, 暗号資産交換業
~ token, wallet, 取引所, 価格, exchange, miner

= telecommunications | 通信 | telecom < technology
+ 5G, 6G, 携帯電話, NTT, KDDI, ソフトバンク, 楽天モバイル, broadband, 光回線, undersea cable, 海底ケーブル, mobile network, 衛星通信, spectrum auction
~ 総務省, 回線, network, operator, 料金, 基地局, subscriber
? 通信

= water | 水道 | water supply | 上下水道
+ 水道管, 下水道, sewage, 浄水場, drinking water, 漏水, PFAS, 有機フッ素化合物, reservoir, ダム, desalination, 水道料金
~ 水, pipe, 老朽化, 水質, 耐震化, 自治体
? water

= wildlife | 野生動物 < animals
+ クマ, ヒグマ, ツキノワグマ, endangered species, 絶滅危惧種, 渡り鳥, migratory bird, conservation, 外来種, invasive species, 鳥獣被害, シカ, イノシシ, rewilding, wolf
~ habitat, 生息, species, 環境省, 捕獲, forest, animal, 保護

= diplomacy | 外交 | international relations | 国際関係 < world
+ 首脳会談, summit, 国連, United Nations, 条約, treaty, sanctions, 制裁, NATO, 外務省, G7, EU, 大使, ambassador, 安全保障
~ 政府, 外相, minister, 会談, agreement, 合意

= elections | 選挙 | election < politics
+ 衆院選, 参院選, 知事選, 市長選, 投票率, turnout, ballot, polling station, 投票所, 期日前投票, 候補者, candidate, 公職選挙法, electoral
~ 有権者, voter, 当選, 政党, party, campaign, 投票

= immigration | 移民 | 外国人労働者 | 入管 < politics
+ 技能実習, 育成就労, 特定技能, 在留資格, refugee, 難民, asylum, visa, migrant, 多文化共生, 入管法
~ 外国人, worker, border, permit, 日本語教育, 受け入れ

= mathematics | 数学 < science
+ theorem, 定理, proof, 証明, conjecture, 予想, prime number, 素数, topology, algebra, 代数, geometry, 幾何, フィールズ賞, Fields Medal
~ mathematician, 数学者, equation, 方程式, number

= physics | 物理学 | 物理 < science
+ 素粒子, particle physics, superconductivity, 超伝導, neutrino, ニュートリノ, quantum mechanics, 量子力学, CERN, fusion, 核融合, gravitational wave, 重力波
~ experiment, 実験, physicist, 物理学者, energy, theory, 理論

= photography | 写真 | camera | カメラ
+ ミラーレス, mirrorless, film camera, フィルムカメラ, lens, レンズ, photographer, 写真家, darkroom, 写真展, DSLR
~ exposure, image, shutter, シャッター, 撮影, focus
? 写真

= coffee | コーヒー < food
+ espresso, エスプレッソ, barista, バリスタ, roaster, 焙煎, カフェ, pour-over, コーヒー豆, arabica, latte
~ bean, 豆, cup, brew, cafe, 味, grind

= tea | 茶 | お茶 | 日本茶 | green tea | 緑茶 < food
+ 抹茶, matcha, 煎茶, 茶葉, 茶園, tea ceremony, 茶道, oolong, black tea, 紅茶
~ leaf, brew, 収穫, plantation, 香り, 味

= wine | ワイン | sake | 日本酒 < food
+ winery, ワイナリー, vineyard, ブドウ畑, sommelier, 酒蔵, brewery, 醸造, 杜氏, vintage, 地酒
~ grape, bottle, 味, fermentation, 発酵, 米

= fashion | ファッション | 服飾 < fashion
+ アパレル, apparel, runway show, デザイナーブランド, textile, 繊維, 古着, fast fashion, haute couture, 着物, kimono
~ clothes, 服, garment, designer, ブランド, 素材

= architecture | 建築 < arts
+ architect, 建築家, building design, 建築設計, 木造建築, プリツカー賞, Pritzker, skyscraper, 超高層ビル, facade, 再開発, 歴史的建造物
~ building, 建物, design, 設計, construction, material
? architecture

= history | 歴史 | archaeology | 考古学 < history
+ 遺跡, excavation, 発掘, 古墳, medieval, 江戸時代, 戦国時代, artefact, artifact, 出土, ancient, 世界遺産, 縄文, 弥生, museum
~ century, 世紀, 時代, historian, 研究者, 調査
? history

= mental health | メンタルヘルス | 心の健康 < health
+ depression, うつ病, anxiety, 不安障害, therapy, カウンセリング, burnout, ストレス, 自殺対策, suicide prevention, 不眠, loneliness, 孤独・孤立, 引きこもり
~ 相談, support, stress, patient, 支援

= nutrition | 栄養 | 食生活 < health
+ 塩分, 減塩, vitamin, ビタミン, dietary fibre, dietary fiber, 食物繊維, obesity, 肥満, 管理栄養士, diet, タンパク質摂取
~ 食事, food, meal, 摂取, calorie, 野菜

= waste | recycling | リサイクル | ごみ | 廃棄物 < environment
+ プラスチックごみ, plastic waste, 食品ロス, food waste, landfill, ごみ収集, 資源循環, circular economy, 分別, ペットボトル, microplastic, マイクロプラスチック, フリマ
~ 回収, 再利用, reuse, collection, 自治体, 素材
? waste

= API | API design | web API < technology
+ REST API, GraphQL, gRPC, OpenAPI, webhook, rate limit
~ endpoint, request, client, versioning, backward compatibility, JSON, server

= software engineering | ソフトウェア開発 | ソフトウェア工学 | programming | プログラミング < technology
+ refactoring, リファクタリング, code review, コードレビュー, unit test, technical debt, 技術的負債, continuous integration, アジャイル, agile development, pull request, debugger, monorepo
~ code, コード, developer, 開発者, bug, バグ, team, チーム, release, deploy

= basketball | バスケットボール | バスケ | NBA < sport
+ Bリーグ, WNBA, slam dunk, three-pointer, point guard, 3ポイントシュート, ダンクシュート
~ rebound, リバウンド, coach, playoffs, プレーオフ, court, コート, guard, 得点

= tennis | テニス < sport
+ Wimbledon, ウィンブルドン, US Open tennis, 全豪オープン, 全仏オープン, 全米オープン, ATP, WTA, デビスカップ, Davis Cup, 錦織圭, 大坂なおみ
~ racket, ラケット, serve, サーブ, set, セット, seed, シード, backhand

= golf | ゴルフ < sport
+ PGA, LPGA, Ryder Cup, マスターズ, 全米プロ, birdie, バーディー, golf course, ゴルフ場, golfer, ゴルファー, 女子ゴルフ
~ putt, パット, hole, ホール, round, ラウンド, tour, ツアー

= rugby | ラグビー < sport
+ Six Nations, All Blacks, オールブラックス, scrum, スクラム, トライ, Rugby World Cup, ラグビーW杯, リーグワン
~ try, 日本代表, pitch, captain, 主将

= cricket | クリケット < sport
+ wicket, batsman, bowler, Test match, Ashes, Twenty20, IPL
~ innings, runs, over, captain

= American football | NFL | アメリカンフットボール | アメフト < sport
+ Super Bowl, スーパーボウル, quarterback, クオーターバック, touchdown, タッチダウン, linebacker
~ yard, playoffs, coach, 大学アメフト

= ice hockey | hockey | NHL | アイスホッケー < sport
+ Stanley Cup, puck, goaltender
~ rink, リンク, period, power play

= volleyball | バレーボール | バレー < sport
+ beach volleyball, ビーチバレー, Vリーグ, SVリーグ
~ spike, スパイク, setter, セッター, サーブ

= table tennis | 卓球 < sport
+ ping-pong, ピンポン, Tリーグ, 張本智和, 伊藤美誠
~ ラケット, ダブルス, シングルス

= badminton | バドミントン < sport
+ Thomas Cup, トマス杯, ユーバー杯, 桃田賢斗
~ シャトル, ダブルス, シングルス

= swimming | 競泳 | 水泳 < sport
+ backstroke, 背泳ぎ, breaststroke, 平泳ぎ, freestyle, 自由形, medley, 個人メドレー, バタフライ
~ pool, プール, metres, 日本記録

= track and field | 陸上競技 | 陸上 < sport
+ sprinter, 短距離走, hurdles, ハードル, javelin, やり投げ, long jump, 走り幅跳び, 棒高跳び, 100メートル
~ record, 世界陸上, 日本選手権, relay, リレー

= gymnastics | 体操競技 | 体操 < sport
+ floor exercise, 床運動, 鉄棒, 平行棒, 新体操, rhythmic gymnastics, gymnast
~ 演技, 採点, apparatus

= figure skating | フィギュアスケート | フィギュア < sport
+ 羽生結弦, 浅田真央, quadruple jump, 4回転ジャンプ, short programme, グランプリファイナル
~ skater, スケーター, ice, リンク, 演技

= skiing | スキー < sport
+ slalom, 回転, ski jumping, ジャンプ台, downhill skiing, alpine skiing, snowboard, スノーボード, クロスカントリー
~ slope, ゲレンデ, snow, 雪

= boxing | ボクシング < sport
+ heavyweight, ヘビー級, 世界王者, WBC, WBA, IBF, boxer, ボクサー, 井上尚弥, タイトルマッチ
~ knockout, KO, bout, ring, リング, 判定

= martial arts | 格闘技 | 総合格闘技 | MMA < sport
+ UFC, RIZIN, キックボクシング, kickboxing, karate, 空手, judo, 柔道, K-1, taekwondo, テコンドー
~ fighter, 一本勝ち, 判定, ring

= professional wrestling | プロレス | WWE < sport
+ 新日本プロレス, 全日本プロレス, プロレスラー, アントニオ猪木, wrestler
~ リング, ring, タッグ, title match

= sumo | 大相撲 | 相撲 < sport
+ 横綱, 大関, 力士, 関脇, 幕内, 本場所, 千秋楽, 白鵬, yokozuna, 日本相撲協会
~ 土俵, 場所, 親方, 部屋, 取組

= horse racing | 競馬 < sport
+ jockey, 騎手, JRA, 中央競馬, 日本ダービー, 有馬記念, 天皇賞, Grand National, Kentucky Derby, 馬券, 武豊
~ stable, 厩舎, race, レース, 調教

= motor racing | Formula One | F1 | モータースポーツ < sport
+ Grand Prix, グランプリ, NASCAR, MotoGP, Le Mans, ルマン, pole position, ポールポジション, Ferrari, フェラーリ, 鈴鹿, WRC
~ driver, lap, ラップ, circuit, サーキット, レーサー

= Olympics | Olympic Games | オリンピック | 五輪 < sport
+ IOC, gold medal, 金メダル, 銀メダル, 銅メダル, 聖火, Olympic torch, 五輪代表, 組織委員会
~ medal, メダル, athlete, 選手村, 開会式, host city

= Paralympics | パラリンピック | パラスポーツ < sport
+ wheelchair basketball, 車いすバスケ, ボッチャ, boccia, 車いすテニス, パラ陸上
~ 障害者, disability, athlete, 選手

= marathon | マラソン | 駅伝 < sport
+ 箱根駅伝, 東京マラソン, half marathon, ハーフマラソン, relay race
~ runner, ランナー, 42.195, 沿道, 区間

= surfing | サーフィン < sport
+ surfer, サーファー, surfboard, サーフボード
~ wave, 波, beach, 海岸

= fishing | angling | 釣り | フィッシング
+ angler, 釣り人, fly fishing, バス釣り, ルアー, lure, 釣り竿, 渓流釣り, 海釣り
~ 釣果, 魚, hook, bait, 堤防

= mountaineering | 登山 | hiking | ハイキング | 山登り
+ climber, 登山者, Everest, エベレスト, 百名山, 山小屋, trekking, トレッキング, 富士登山, 遭難
~ summit, 山頂, trail, 登山道, 山

= camping | キャンプ | outdoor | アウトドア
+ キャンプ場, グランピング, glamping, 焚き火, campsite, テント, tent, ソロキャンプ
~ 寝袋, バーベキュー, 自然

= fitness | フィットネス | 筋トレ | workout < health
+ gym, スポーツジム, 筋力トレーニング, strength training, ダンベル, pilates, ピラティス, プロテイン, 有酸素運動
~ muscle, 筋肉, exercise, 運動, trainer, トレーナー

= yoga | ヨガ < health
+ 瞑想, meditation, ホットヨガ, asana
~ pose, ポーズ, 呼吸, インストラクター

= dance | ダンス < arts
+ ballet, バレエ, hip-hop dance, breakdancing, ブレイキン, ballroom dancing, 社交ダンス, dancer, ダンサー, choreographer, 振付師
~ stage, 舞台, ステージ

= theatre | theater | 演劇 | 舞台 | ミュージカル | musical < arts
+ Broadway, ブロードウェイ, West End, 劇団, 劇団四季, 宝塚歌劇, playwright, 劇作家, 演出家, 帝国劇場, stage play
~ 公演, cast, 主演, rehearsal, 稽古

= opera | オペラ < arts
+ soprano, ソプラノ, tenor, テノール, オペラハウス, opera house, La Scala, アリア
~ 歌手, conductor, 指揮者

= classical music | クラシック音楽 | クラシック | orchestra | オーケストラ < music
+ symphony, 交響曲, 交響楽団, philharmonic, 指揮者, violinist, バイオリニスト, pianist, ピアニスト, Beethoven, ベートーベン, モーツァルト
~ 演奏, concert, 協奏曲, 楽団

= jazz | ジャズ < music
+ saxophonist, サックス奏者, Blue Note, ブルーノート, trumpeter, ジャズピアノ
~ improvisation, 即興, trio, トリオ

= rock | ロック | rock music | ロックバンド < music
+ guitarist, ギタリスト, punk, パンク, heavy metal, ヘビーメタル, rock festival, フジロック
~ band, バンド, album, アルバム, tour

= hip-hop | rap | ヒップホップ | ラップ < music
+ rapper, ラッパー, Eminem, Jay-Z, Kanye West, フリースタイル
~ beat, track, アルバム, album

= K-pop | 韓流 | K-POP | 韓国芸能 < entertainment
+ BTS, 東方神起, 少女時代, KARA, BLACKPINK, 韓国ドラマ, TWICE, Korean drama, 韓流スター, SEVENTEEN
~ アイドル, ファンミーティング, 韓国, Seoul

= idols | アイドル < entertainment
+ AKB48, 乃木坂46, 欅坂46, 日向坂46, ももいろクローバーZ, 地下アイドル, ハロー!プロジェクト, ジャニーズ, 握手会, 総選挙 AKB, モーニング娘。
~ センター, 卒業, ファン, ライブ, メンバー

= comedy | お笑い | コメディ < entertainment
+ comedian, お笑い芸人, 芸人, 漫才, コント, M-1グランプリ, キングオブコント, stand-up, sitcom, 吉本興業, よしもと, 落語, 落語家
~ 笑い, joke, ネタ, gag, コンビ

= radio | ラジオ < entertainment
+ radio station, ラジオ局, ラジオ番組, オールナイトニッポン, FM放送, AM放送, Radio 1, radiko
~ DJ, リスナー, listeners, パーソナリティ

= podcasts | podcast | ポッドキャスト
+ podcaster, Spotify podcast, 音声配信, Voicy
~ episode, listeners, 配信

= streaming services | streaming | 動画配信 | ストリーミング < technology
+ Netflix, ネットフリックス, Disney+, ディズニープラス, Hulu, フールー, Amazon Prime Video, U-NEXT, ABEMA, HBO Max
~ subscribers, 会員, 配信, original series, オリジナル作品

= YouTube | YouTuber | ユーチューバー | ユーチューブ < technology
+ HIKAKIN, ヒカキン, VTuber, YouTubers, 動画投稿
~ チャンネル登録, subscribers, 再生回数, channel, 動画

= photography | camera | カメラ | 写真 | cameras
+ digital camera, デジタルカメラ, デジカメ, 一眼レフ, ミラーレス, SLR, Nikon, ニコン, Canon EOS, キヤノン, photographer, 写真家, 富士フイルム, カメラマン
~ lens, レンズ, 撮影, shutter, 画素

= audio | オーディオ | headphones | イヤホン | ヘッドホン < home appliances
+ hi-fi, ハイレゾ, ワイヤレスイヤホン, noise cancelling, ノイズキャンセリング, loudspeaker, スピーカー, AirPods, BOSE
~ 音質, sound quality, 再生

= personal computers | PC | laptop | ノートパソコン | パソコン本体 < technology
+ notebook PC, ノートPC, ThinkPad, MacBook, Ultrabook, ウルトラブック, Windows 11, Windows 7, Dell, レノボ, Chromebook, 自作PC
~ CPU, メモリ, SSD, keyboard, キーボード, 搭載

= tablets | tablet | タブレット | タブレット端末 | iPad < technology
+ Kindle Fire, Nexus 7, Surface, Androidタブレット, iPad mini, iPad Pro
~ 画面, screen, inch, インチ, stylus

= Apple | アップル | iPhone < technology
+ iPhone, iPad, iPod, iTunes, MacBook, Mac OS, macOS, Steve Jobs, スティーブ・ジョブズ, Tim Cook, ティム・クック, App Store, Apple Watch, WWDC
~ Cupertino, 新型, iOS, アプリ

= Google | グーグル < technology
+ Android, Gmail, Google Maps, グーグルマップ, Chrome, Alphabet, YouTube, Gemini, Google検索, Pixel
~ search engine, 検索, advertising, 広告

= Microsoft | マイクロソフト < technology
+ Windows, Xbox, Office 365, Internet Explorer, Bill Gates, ビル・ゲイツ, Azure, Steve Ballmer, Satya Nadella, ウィンドウズ
~ Redmond, software, patch, OS

= Amazon | アマゾン < technology
+ AWS, Kindle, キンドル, Jeff Bezos, ベゾス, Alexa, アレクサ, Amazon Prime, アマゾンジャパン
~ warehouse, 倉庫, delivery, 通販

= Meta | Facebook | フェイスブック | Instagram | インスタグラム < technology
+ Mark Zuckerberg, ザッカーバーグ, WhatsApp, Threads, Oculus
~ timeline, users, 投稿, ユーザー

= social media | SNS | ソーシャルメディア | ソーシャルネットワーク < technology
+ Facebook, フェイスブック, Twitter, ツイッター, Instagram, インスタグラム, TikTok, LINE, mixi, Mastodon, Bluesky, インフルエンサー, influencer
~ followers, フォロワー, 投稿, post, いいね, viral

= internet | web | インターネット | ネット | ウェブ < technology
+ website, ウェブサイト, search engine, 検索エンジン, broadband, ブロードバンド, browser, ブラウザ, blog, ブログ, net users, ネットユーザー, プロバイダー
~ online, オンライン, サイト, users, ユーザー

= software | ソフトウェア | ソフトウエア | アプリ | apps < technology
+ application, アプリケーション, operating system, open source, オープンソース, 開発者, developers, SaaS, Androidアプリ, iPhoneアプリ, フリーソフト
~ version, バージョン, release, update, アップデート, bug, 機能

= programming | プログラミング | coding < technology
+ source code, ソースコード, programmer, プログラマー, compiler, コンパイラ, GitHub, software developer, TypeScript, Python, JavaScript, デバッグ, debugging
~ code, コード, library, ライブラリ, 開発環境, function

= web development | frontend | フロントエンド | ウェブ開発 | Web開発 < technology
+ CSS, HTML, React, TypeScript, Vue.js, Next.js, JavaScript framework, ウェブデザイン, web design, Node.js
~ browser, ブラウザ, component, レンダリング

= DevOps | SRE | インフラエンジニア < technology
+ CI/CD, Terraform, observability, オブザーバビリティ, GitHub Actions, incident response, Ansible, Prometheus
~ deploy, デプロイ, monitoring, 監視, pipeline

= data science | データサイエンス | data analysis | データ分析 < technology
+ data scientist, データサイエンティスト, big data, ビッグデータ, statistics, 統計学, pandas, visualization, 可視化
~ dataset, データ, analysis, 分析

= computer security | information security | サイバーセキュリティ | 情報セキュリティ | cybersecurity < technology
+ ransomware, ランサムウェア, malware, マルウェア, phishing, フィッシング, zero-day, ゼロデイ, data breach, 情報漏えい, 情報漏洩, hacker, ハッカー, cyberattack, サイバー攻撃, 不正アクセス, computer virus, コンピューターウイルス, spyware, 脆弱性, vulnerability
~ attack, 攻撃, patch, password, パスワード, 被害

= blockchain | ブロックチェーン | Web3 < technology
+ NFT, Ethereum, イーサリアム, smart contract, スマートコントラクト, DeFi, DAO, Bitcoin
~ token, トークン, ledger, wallet

= virtual reality | VR | augmented reality | AR | メタバース | 仮想現実 | metaverse < technology
+ Oculus, Meta Quest, Vision Pro, PlayStation VR, 拡張現実, headset VR, VRゴーグル, HoloLens
~ headset, ヘッドセット, アバター, avatar, immersive

= wearables | smartwatch | スマートウォッチ | ウェアラブル < technology
+ Apple Watch, Fitbit, Garmin, fitness tracker, 活動量計, スマートグラス
~ wrist, 手首, sensor, センサー

= drones | drone | ドローン | 無人機 < technology
+ quadcopter, DJI, unmanned aerial vehicle, UAV, 無人航空機, ドローン配送
~ flight, 飛行, 空撮, operator

= internet of things | IoT | smart home | スマートホーム < technology
+ スマートスピーカー, smart speaker, connected devices, スマート家電, Alexa, スマートロック
~ sensor, センサー, device, 家電

= 3D printing | 3Dプリンター | additive manufacturing < technology
+ 3D printer, 3Dプリント, filament, 積層造形
~ layer, 造形, resin

= telecoms | telecom industry | 通信業界 | 携帯キャリア < technology
+ NTT, KDDI, ソフトバンク, NTTドコモ, Vodafone, Verizon, AT&T, BT Group, 楽天モバイル, mobile operator, broadband, MVNO
~ network, 通信網, subscribers, 料金, spectrum

= 5G | 5G通信 | 6G < technology
+ millimetre wave, ミリ波, 基地局, base station, Open RAN, 第5世代移動通信システム
~ network, 通信, latency, 低遅延

= e-commerce | online shopping | ネット通販 | 通販 | EC < business
+ online retailer, 楽天市場, Amazon, eBay, メルカリ, Mercari, ZOZOTOWN, Shopify, Alibaba, フリマアプリ, ネットショッピング
~ 出品, seller, delivery, 配送, ポイント

= fintech | フィンテック | cashless payment | キャッシュレス < business
+ PayPay, mobile payment, スマホ決済, QRコード決済, Apple Pay, Suica, PayPal, 電子マネー, digital bank, ネット銀行
~ payment, 決済, 送金, wallet

= advertising | marketing | 広告 | マーケティング < business
+ 電通, 博報堂, ad agency, advertiser, 広告主, commercials, テレビCM, SEO, branding, ブランディング, WPP, インフルエンサーマーケティング
~ campaign, キャンペーン, brand, 宣伝

= media | journalism | メディア | 報道 | 新聞 | newspapers | マスコミ
+ journalist, ジャーナリスト, 記者, newspaper, 新聞社, 朝日新聞, 読売新聞, 毎日新聞, 産経新聞, New York Times, BBC, Reuters, broadcaster, テレビ局, 週刊誌, newsroom, 編集長, press freedom, 報道の自由, フェイクニュース, fake news
~ editor, 取材, 記事, story, readers

= stock market | stocks | 株式市場 | 株 | 株価 | 株式 < business
+ Nikkei, 日経平均, Dow Jones, ダウ平均, Nasdaq, ナスダック, FTSE, TOPIX, 東証, 東証株価指数, Wall Street, ウォール街, 個人投資家, S&P 500, share price
~ shares, 銘柄, 反発, 続落, investors, 投資家, 取引

= foreign exchange | forex | 為替 | 外国為替 | 円相場 | FX < business
+ 円安, 円高, dollar-yen, ドル円, 為替介入, exchange rate, 為替レート, 為替市場, euro-dollar
~ 円, dollar, euro, yen, 日銀, central bank

= banking | banks | 銀行 | 金融機関 < business
+ メガバンク, 地方銀行, 地銀, 三菱UFJ, みずほ銀行, 三井住友銀行, Citigroup, HSBC, Barclays, JP Morgan, Goldman Sachs, 信用金庫, investment bank, ゆうちょ銀行, 日銀
~ loan, 融資, deposit, 預金, branch, 支店

= insurance | 保険 < business
+ life insurance, 生命保険, 損害保険, 損保, 生保, AIG, Lloyd's, insurer, reinsurance, 保険金, 保険料
~ premium, policy, 契約, 補償

= mergers and acquisitions | M&A | takeover | 買収 | 企業買収 | 合併 < business
+ takeover bid, hostile takeover, 敵対的買収, TOB, 株式公開買い付け, 経営統合, merger, acquisition, buyout, MBO
~ stake, 株式, 出資, offer, 提案, 子会社

= venture capital | ベンチャーキャピタル | VC | unicorn company | 資金調達 < business
+ seed round, Series A, シリーズA, Y Combinator, ユニコーン企業, エンジェル投資家, angel investor, 資金調達を実施
~ startup, スタートアップ, funding, 出資, founder, 創業者

= small business | entrepreneurship | 中小企業 | 起業 | 起業家 < business
+ entrepreneur, 個人事業主, 町工場, 事業承継, self-employed, 商工会議所, 創業支援, founder
~ owner, 経営者, 資金, 補助金

= retail | 小売 | 小売業 | shopping | ショッピング | コンビニ < business
+ supermarket, スーパーマーケット, department store, 百貨店, デパート, convenience store, コンビニエンスストア, セブン-イレブン, ローソン, ファミリーマート, Wal-Mart, Tesco, イオン, ドン・キホーテ, retailer, ユニクロ, 無印良品
~ store, 店舗, 売り場, 出店, 閉店, sales, セール

= manufacturing | 製造業 | ものづくり | 工場 < business
+ factory, 生産ライン, 自動車部品, machine tool, 工作機械, 鉄鋼, steelmaker, 町工場, 素材メーカー, 設備投資
~ production, 生産, plant, 輸出, 部品

= logistics | 物流 | 運送 | shipping < transport
+ supply chain, サプライチェーン, 宅配便, ヤマト運輸, 佐川急便, 日本郵便, FedEx, UPS, DHL, container ship, コンテナ船, 2024年問題, トラック運転手, 倉庫
~ delivery, 配送, freight, 輸送, port

= labour | labor unions | 労働 | 労働問題 | 労働組合 < work
+ trade union, 連合, 春闘, ストライキ, 最低賃金, minimum wage, 過労死, 長時間労働, 非正規雇用, 労働基準監督署, industrial action
~ wage, 賃金, workers, 労働者, 残業

= trade | international trade | 貿易 | 通商 < business
+ tariff, 関税, WTO, TPP, FTA, 自由貿易協定, trade deficit, 貿易赤字, 貿易摩擦, 輸出規制, trade war, 貿易戦争, EPA
~ export, 輸出, import, 輸入, 交渉

= inflation | インフレ | 物価 | 物価高 < business
+ consumer price index, 消費者物価指数, 値上げ, デフレ, deflation, price rises, 物価上昇, 価格転嫁, cost of living
~ prices, 価格, 家計, 日銀, wages

= pensions | 年金 | social security | 社会保障 < politics
+ 厚生年金, 国民年金, 年金受給, pension fund, 年金改革, GPIF, 老後, 介護保険, 生活保護, welfare benefits, 医療保険制度
~ retirement, 高齢者, 保険料, 給付, 受給

= welfare | 福祉 | social care | 社会福祉 | 貧困 | poverty
+ 生活保護, 児童手当, 障害者福祉, ケアマネジャー, food bank, フードバンク, 子ども食堂, homeless, ホームレス, 生活困窮者, child poverty, 子どもの貧困
~ 支援, benefits, 給付, NPO, 施設

= disability | 障害者 | accessibility | バリアフリー
+ wheelchair, 車いす, 手話, sign language, 視覚障害, 聴覚障害, 点字, Braille, 発達障害, ユニバーサルデザイン, 合理的配慮, disabled people
~ 支援, access, 介助

= LGBT | LGBTQ | 性的少数者 | ジェンダー | gender
+ same-sex marriage, 同性婚, transgender, トランスジェンダー, 同性パートナーシップ, gay rights, 男女平等, gender equality, 選択的夫婦別姓, feminism, フェミニズム
~ rights, 権利, 当事者, 差別, discrimination

= human rights | 人権 < world
+ Amnesty International, アムネスティ, freedom of speech, 言論の自由, 人権侵害, political prisoner, 政治犯, torture, 拷問, 人種差別, racism, ヘイトスピーチ
~ rights, 差別, abuse, 弾圧

= refugees | 難民 | asylum < world
+ UNHCR, 国連難民高等弁務官, asylum seeker, 難民申請, refugee camp, 難民キャンプ, 入管, migrants
~ border, 国境, 避難, 受け入れ

= terrorism | テロ | テロリズム < world
+ al-Qaeda, アルカイダ, suicide bomber, 自爆テロ, Islamic State, イスラム国, bin Laden, ビンラディン, 同時多発テロ, terror attack, car bomb, テロ対策
~ attack, 攻撃, bomb, 爆発, militant, 過激派

= war | 戦争 | conflict | 紛争 < world
+ ceasefire, 停戦, invasion, 侵攻, airstrike, 空爆, civil war, 内戦, frontline, 前線部隊, artillery, shelling, 砲撃, 戦闘
~ troops, 部隊, soldiers, 兵士, killed, 死者, 軍

= nuclear weapons | 核兵器 | 核問題 < military
+ warhead, 核弾頭, uranium enrichment, ウラン濃縮, 核実験, nuclear test, IAEA, 国際原子力機関, 核軍縮, NPT, 核兵器禁止条約, 核開発
~ missile, ミサイル, Iran, North Korea, 制裁

= United Nations | UN | 国連 < world
+ Security Council, 安保理, UNICEF, ユニセフ, UNESCO, ユネスコ, 国連総会, General Assembly, secretary-general, 国連事務総長, peacekeepers, PKO
~ resolution, 決議, sanctions, 制裁

= European Union | EU | 欧州連合 | Europe | 欧州 | ヨーロッパ < world
+ European Commission, 欧州委員会, European Parliament, 欧州議会, Brussels, ブリュッセル, eurozone, ユーロ圏, Brexit, EU離脱, ECB
~ member states, 加盟国, euro, ユーロ

= United States | US | USA | America | アメリカ | 米国 < world
+ White House, ホワイトハウス, Congress, 米議会, Washington, ワシントン, 米大統領, 米大統領選, Trump, トランプ, Biden, バイデン, Obama, オバマ, Pentagon, 米政府, 米国防総省
~ American, president, 大統領, 共和党, 民主党, senator

= United Kingdom | UK | Britain | イギリス | 英国 < world
+ London, ロンドン, Downing Street, Westminster, 英首相, British government, 英政府, Brexit, Scotland, スコットランド, royal family, 英王室
~ British, prime minister, 議会, Labour, Tory

= China | 中国 < world
+ Beijing, 北京, Xi Jinping, 習近平, Shanghai, 上海, Communist Party of China, 中国共産党, 中国政府, 中国人, Chinese government, 人民解放軍, 香港
~ Chinese, 中国側, 尖閣, tariff, 人民元

= South Korea | Korea | 韓国 < world
+ Seoul, ソウル, 韓国政府, 韓国大統領, 文在寅, 尹錫悦, 朴槿恵, サムスン, 韓国メディア, 竹島, 徴用工, 韓国人, Korean president
~ 日韓, 反日, ウォン, Korean

= North Korea | 北朝鮮 < world
+ Pyongyang, 平壌, Kim Jong-un, 金正恩, Kim Jong-il, 金正日, 拉致問題, 拉致被害者, 朝鮮中央通信
~ missile, ミサイル, 核実験, 制裁

= Taiwan | 台湾 < world
+ Taipei, 台北, 蔡英文, 頼清徳, 台湾海峡, Taiwan Strait, 台湾有事, 台湾総統
~ 中国, China, TSMC

= Russia | ロシア < world
+ Moscow, モスクワ, Putin, プーチン, Kremlin, クレムリン, ロシア軍, ロシア大統領, 北方領土
~ Russian, ウクライナ, 制裁

= Ukraine | ウクライナ < world
+ Kyiv, Kiev, キーウ, キエフ, Zelensky, ゼレンスキー, Donbas, ドンバス, クリミア, Crimea, ウクライナ侵攻
~ ロシア軍, troops, 停戦, 侵攻

= Middle East | 中東 < world
+ Israel, イスラエル, Gaza, ガザ, Palestinian, パレスチナ, Iran, イラン, Iraq, イラク, Syria, シリア, Saudi Arabia, サウジアラビア, Hamas, ハマス, Hezbollah, ヒズボラ, Lebanon, レバノン, Yemen, イエメン
~ ceasefire, 停戦, 空爆, oil

= Africa | アフリカ < world
+ Nigeria, ナイジェリア, Kenya, ケニア, South Africa, 南アフリカ, Ethiopia, エチオピア, Sudan, スーダン, Congo, コンゴ, Darfur, Zimbabwe, African Union, アフリカ連合
~ African, drought, 支援, aid

= Latin America | South America | 中南米 | 南米 < world
+ Brazil, ブラジル, Argentina, アルゼンチン, Chile, チリ, Venezuela, ベネズエラ, Mexico, メキシコ, Colombia, コロンビア, Peru, ペルー, Cuba, キューバ, Bolivia
~ Latin American, president, 大統領

= India | インド < world
+ New Delhi, ニューデリー, Mumbai, ムンバイ, Modi, モディ首相, Bangalore, Kashmir, カシミール, インド政府
~ Indian, rupee, ルピー

= Southeast Asia | ASEAN | 東南アジア < world
+ Indonesia, インドネシア, Thailand, タイ政府, Vietnam, ベトナム, Philippines, フィリピン, Malaysia, マレーシア, Singapore, シンガポール, Myanmar, ミャンマー, Cambodia, カンボジア
~ Jakarta, Bangkok, Manila, 日系企業

= Asia | アジア < world
+ 東アジア, East Asia, 東南アジア, Southeast Asia, South Asia, Central Asia, 中央アジア, アジア太平洋, Asia-Pacific
~ China, 中国, India, インド, Korea, 韓国

= Australia | オーストラリア | 豪州 < world
+ Sydney, シドニー, Canberra, キャンベラ, Melbourne, メルボルン, 豪政府, 豪首相
~ Australian, 豪

= Germany | ドイツ < world
+ Berlin, ベルリン, German chancellor, Merkel, メルケル, 独首相, Bundestag, Munich
~ German, 独

= France | フランス < world
+ Paris, パリ, Macron, マクロン, Sarkozy, French president, 仏大統領
~ French, 仏

= Italy | イタリア < world
+ Rome, ローマ, Milan, ミラノ, Berlusconi, ベルルスコーニ, Italian prime minister
~ Italian, 伊

= Canada | カナダ < world
+ Ottawa, オタワ, Toronto, トロント, Trudeau, トルドー, Vancouver, バンクーバー, Quebec
~ Canadian

= royal family | monarchy | 皇室 | 王室 | royals
+ Queen Elizabeth, エリザベス女王, King Charles, チャールズ国王, Prince William, ウィリアム王子, Prince Harry, Buckingham Palace, 天皇陛下, 天皇皇后両陛下, 皇太子, 愛子さま, 佳子さま, 眞子さま, 悠仁さま, 秋篠宮, 宮内庁, 皇族, 雅子さま
~ prince, princess, 即位, 公務, palace

= local government | 地方自治 | 自治体 | 地方行政 < politics
+ 市長, 知事, 町長, 村長, 市議会, 県議会, mayor, city council, 条例, 市役所, 県庁, 町役場, councillor, 地方創生, 過疎, ふるさと納税
~ 住民, residents, 予算, 市民, 補助金

= constitution | 憲法 | 憲法改正 < politics
+ 改憲, 憲法9条, 護憲, 国民投票, constitutional amendment, 立憲主義, 憲法審査会
~ amendment, 改正, 発議, 自衛隊

= Liberal Democratic Party | LDP | 自民党 < politics
+ 自民党総裁, 総裁選, 安倍派, 岸田首相, 石破首相, 高市首相, 幹事長, 政調会長
~ 派閥, 首相, 与党, 国会

= US politics | American politics | 米国政治 | アメリカ政治 < politics
+ Republicans, 共和党, Democrats, Senate, 上院, House of Representatives, 下院, White House, 米大統領選, presidential election, primary, supreme court, 中間選挙, midterms, Congress
~ senator, governor, 候補, campaign, 州知事

= UK politics | British politics | 英国政治 < politics
+ Labour Party, Conservative Party, Tory, Tories, Liberal Democrats, Downing Street, House of Commons, House of Lords, MPs, Tony Blair, Gordon Brown, Michael Howard, by-election
~ minister, chancellor, backbench, shadow

= corruption | bribery | 汚職 | 政治とカネ | 贈収賄 < crime
+ 収賄, 裏金, 政治資金規正法, embezzlement, 横領, kickback, 談合, slush fund, 贈賄
~ 疑惑, 捜査, investigation, 特捜部

= drugs crime | illegal drugs | 薬物 | 麻薬 < crime
+ cocaine, コカイン, heroin, ヘロイン, cannabis, 大麻, 覚醒剤, 危険ドラッグ, drug trafficking, fentanyl, MDMA, マトリ
~ 逮捕, 所持, dealer, smuggling, 密輸

= fraud | scams | 詐欺 | 特殊詐欺 < crime
+ オレオレ詐欺, 振り込め詐欺, 還付金詐欺, 投資詐欺, ロマンス詐欺, identity theft, Ponzi scheme, scam, 詐取, 架空請求
~ 被害, victims, 警察, だまし取る

= traffic accidents | road accidents | 交通事故 < crime
+ 飲酒運転, drink-driving, あおり運転, ひき逃げ, hit-and-run, 正面衝突, 追突, 逆走, pile-up, 高齢ドライバー
~ 運転手, driver, 死亡, けが, 衝突

= bullying | いじめ < education
+ cyberbullying, いじめ防止, 第三者委員会, いじめ自殺, ネットいじめ
~ 学校, pupils, 生徒, 教育委員会

= higher education | universities | 高等教育 | 大学教育 < education
+ tuition fees, 学費, 国立大学, 私立大学, 学長, undergraduate, 大学院, 奨学金, 留学生, Oxford University, Harvard, 東京大学
~ campus, キャンパス, students, 学生, 教授

= entrance exams | 受験 | 入試 | 大学入試 < education
+ 共通テスト, センター試験, 中学受験, 高校受験, 偏差値, 予備校, 学習塾, 合格発表, 東大合格
~ 受験生, 志望校, 合格, 試験

= English learning | language learning | 英語 | 英会話 | 語学 | 英語学習 < education
+ TOEIC, TOEFL, 英検, 英単語, リスニング, 英語教育, Duolingo, bilingual, バイリンガル, 語学留学, 英語学校
~ 発音, 文法, vocabulary, 勉強法

= study abroad | 留学 < education
+ 留学生, exchange student, 海外留学, ワーキングホリデー, 交換留学
~ 大学, visa, ホームステイ

= infectious diseases | epidemic | 感染症 < health
+ COVID-19, 新型コロナ, coronavirus, influenza, インフルエンザ, measles, はしか, Ebola, エボラ, tuberculosis, 結核, SARS, malaria, マラリア, dengue, デング熱, 梅毒, bird flu, 鳥インフルエンザ
~ 感染者, outbreak, 患者, 保健所, ウイルス

= vaccines | vaccination | ワクチン | 予防接種 < health
+ immunisation, immunization, 接種, mRNA, booster shot, HPVワクチン, ファイザー, Pfizer, モデルナ, Moderna
~ dose, 副反応, 免疫, 感染

= cancer | がん | 癌 < health
+ tumour, tumor, 腫瘍, chemotherapy, 抗がん剤, breast cancer, 乳がん, lung cancer, 肺がん, 大腸がん, 胃がん, leukaemia, 白血病, radiotherapy, 放射線治療, がん検診
~ patients, 患者, 治療, survival, 転移

= diabetes | 糖尿病 < health
+ insulin, インスリン, blood sugar, 血糖値, type 2
~ obesity, 肥満, 患者, 合併症

= dementia | 認知症 | Alzheimer's | アルツハイマー < health
+ アルツハイマー病, memory loss, 若年性認知症, 徘徊, レカネマブ
~ elderly, 高齢者, 介護, brain, 脳

= diet | weight loss | ダイエット | 減量 < health
+ obesity, 肥満, calorie, カロリー, 糖質制限, low-carb, 体脂肪, 置き換えダイエット, Weight Watchers, リバウンド, 痩せる, やせる, 痩身
~ 体重, weight, 食事, exercise, 運動

= sleep | 睡眠 < health
+ insomnia, 不眠症, 睡眠不足, 快眠, 安眠, 寝不足, 昼寝, 睡眠時無呼吸, 寝具
~ 枕, mattress, 布団, 夜, rest

= smoking | tobacco | たばこ | 喫煙 | タバコ < health
+ cigarette, cigarettes, 禁煙, 受動喫煙, 加熱式たばこ, e-cigarette, 電子たばこ, JT, 愛煙家, passive smoking
~ smokers, 分煙, nicotine, ニコチン

= pharmaceuticals | pharma | 製薬 | 医薬品 < health
+ Pfizer, ファイザー, Merck, GlaxoSmithKline, 武田薬品, アステラス製薬, 第一三共, drugmaker, 新薬, 治験, clinical trial, FDA approval, ジェネリック, generic drug
~ drug, 承認, 薬, 臨床

= dentistry | dental | 歯 | 歯科 < health
+ dentist, 歯医者, 虫歯, 歯周病, 歯並び, ホワイトニング, 矯正歯科, 歯磨き, インプラント
~ tooth, teeth, 歯茎

= pregnancy | childbirth | 妊娠 | 出産 < parenting
+ 妊婦, マタニティ, つわり, 陣痛, 産婦人科, midwife, 助産師, fertility treatment, 不妊治療, IVF, 体外受精, 妊活
~ baby, 赤ちゃん, 胎児, birth

= ageing society | aging | 高齢化 | 高齢者 | シニア
+ 超高齢社会, 老後, 孤独死, elderly people, pensioners, 終活, 敬老の日, 老人ホーム, シニア世代
~ 介護, 年金, 健康寿命, retirement

= low birth rate | 少子化 | 少子高齢化 < politics
+ 出生率, 出生数, birth rate, こども家庭庁, 異次元の少子化対策, 合計特殊出生率
~ 人口減少, 子育て, 未婚

= genetics | 遺伝学 | 遺伝子 | genomics < science
+ genome, ゲノム, DNA, gene editing, ゲノム編集, CRISPR, クローン, cloning, mutation, 突然変異, 染色体
~ gene, cell, 細胞, 解析

= neuroscience | 脳科学 | brain science < science
+ neuron, ニューロン, 神経細胞, cognitive science, 認知科学, brain scan, fMRI, シナプス
~ brain, 脳, memory, 記憶

= chemistry | 化学 < science
+ catalyst, 触媒, polymer, ポリマー, molecule, 化合物, organic chemistry, 有機化学, periodic table
~ reaction, 反応, 合成, 分子

= dinosaurs | fossils | palaeontology | 恐竜 | 化石 | 古生物 < science
+ Tyrannosaurus, ティラノサウルス, mammoth, マンモス, Jurassic, ジュラ紀, 白亜紀, 恐竜博物館, アンモナイト, palaeontologist, paleontologist
~ skeleton, 発掘, 骨, species

= archaeology | 考古学 | 遺跡 < history
+ excavation, 発掘, 古墳, archaeologist, 出土, 縄文, 弥生, pyramid, ピラミッド, ミイラ, mummy, tomb, 土器
~ ancient, 古代, site, 調査

= psychology | 心理学 | 心理 < science
+ psychologist, 心理学者, cognitive bias, 認知バイアス, カウンセリング, 心理テスト, 行動経済学, counselling, アドラー
~ behaviour, 行動, emotion, 感情

= philosophy | 哲学
+ philosopher, 哲学者, ethics, 倫理学, Kant, カント, Nietzsche, ニーチェ, Plato, プラトン, Socrates, ソクラテス
~ 思想, truth, 真理

= ocean | oceans | 海洋 | 海 < science
+ deep sea, 深海, coral reef, サンゴ礁, 海底, 海流, marine biology, 海洋生物, 黒潮, 潜水調査船
~ sea, 水深, fish

= earthquake | earthquakes | 地震 | 震災 < weather
+ tsunami, 津波, 震度, 震源, 余震, aftershock, magnitude, マグニチュード, 南海トラフ, 東日本大震災, 首都直下地震, 緊急地震速報, 活断層, seismic
~ 揺れ, 被害, damage, 避難

= typhoon | hurricane | 台風 | storms < weather
+ hurricane, ハリケーン, cyclone, サイクロン, 暴風域, 台風接近, storm surge, 高潮, 大型台風, tropical storm
~ 上陸, wind, 豪雨, flood, 進路

= volcano | volcanoes | 火山 | 噴火 < weather
+ eruption, 噴煙, 溶岩, lava, マグマ, magma, 桜島, 御嶽山, 阿蘇山, 富士山噴火, 噴火警戒レベル, 火山灰
~ 火口, crater, 避難

= Fukushima | 福島原発 | 原発事故 < energy
+ 福島第一原発, 東京電力, 処理水, 汚染水, 除染, 放射性物質, 廃炉作業, 帰還困難区域, 放射線量, Chernobyl, チェルノブイリ
~ 被災, 避難, reactor, 原子炉

= fire | wildfire | 火災 | 火事 | 山火事
+ blaze, firefighters, 消防, 消防士, 放火, 全焼, bushfire, arson, 出火, 消火活動, 延焼
~ 燃える, smoke, 煙, 避難

= recycling | リサイクル | 資源循環 < environment
+ 再資源化, 分別収集, plastic recycling, 使用済み, ペットボトル回収, circular economy, 循環型社会, 再利用
~ plastic, waste, ごみ, 回収

= plastic pollution | プラスチックごみ | プラスチック汚染 < environment
+ microplastics, マイクロプラスチック, 海洋プラスチック, レジ袋, plastic bags, 脱プラスチック, プラスチックストロー
~ ocean, 海, ごみ

= forests | forestry | 森林 | 林業 < environment
+ deforestation, 森林伐採, rainforest, 熱帯雨林, logging, 間伐, 植林, 木材, timber, アマゾンの森林
~ trees, 木, 山

= electric power | electricity supply | 電力 | 電気料金 < energy
+ 電力会社, 東京電力, 関西電力, power grid, 送電網, 停電, blackout, 節電, 電力需給, 電気代, 新電力
~ 発電, 供給, 値上げ, 需給

= oil | petroleum | 石油 | 原油 < energy
+ crude oil, 原油価格, OPEC, 石油輸出国機構, ガソリン価格, refinery, 製油所, Exxon, ENEOS, oil prices, シェールオイル, WTI
~ barrel, バレル, production, 産油国

= hydrogen | 水素 | fuel cells | 燃料電池 < energy
+ fuel cell vehicle, 燃料電池車, 水素ステーション, green hydrogen, グリーン水素, MIRAI, アンモニア混焼
~ energy, 脱炭素, 製造

= batteries | battery | 電池 | 蓄電池 < energy
+ lithium-ion, リチウムイオン電池, solid-state battery, 全固体電池, CATL, 車載電池, モバイルバッテリー
~ 充電, charge, EV, 容量

= motorcycles | motorbikes | バイク | オートバイ < cars
+ Harley-Davidson, ハーレーダビッドソン, ヤマハ発動機, カワサキ, Ducati, ドゥカティ, 原付, スクーター, scooter, ツーリング
~ rider, ライダー, エンジン, 排気量

= ships | shipping news | 船 | 船舶 | 海運 < transport
+ 日本郵船, 商船三井, container ship, タンカー, tanker, 造船, shipbuilding, 客船, フェリー, ferry, 海運会社
~ 航海, 港, port, crew

= shinkansen | high-speed rail | 新幹線 | リニア < transport
+ リニア中央新幹線, 東海道新幹線, 北陸新幹線, のぞみ, bullet train, JR東海, 東北新幹線, 山陽新幹線, Maglev
~ 駅, 車両, 運転, 開業

= airports | airlines | 航空会社 | 空港 < transport
+ Heathrow, 羽田空港, 成田空港, 関西空港, 全日空, ANA, 日本航空, JAL, LCC, Peach, Ryanair, easyJet, British Airways, low-cost carrier, ボーイング, Airbus
~ flight, 便, 滑走路, passengers, 搭乗

= onsen | hot springs | 温泉 < travel
+ 温泉旅館, 露天風呂, 草津温泉, 別府温泉, 箱根温泉, 日帰り温泉, 源泉, 秘湯
~ 湯, 宿, 入浴, 旅館

= hotels | accommodation | ホテル | 宿泊 < travel
+ 旅館, 民泊, Airbnb, Hilton, ヒルトン, Marriott, リッツ・カールトン, ビジネスホテル, カプセルホテル, 帝国ホテル, hostel
~ 客室, guests, 予約, 宿泊客

= theme parks | テーマパーク | 遊園地 | Disneyland | ディズニーランド < travel
+ 東京ディズニーランド, 東京ディズニーシー, USJ, ユニバーサル・スタジオ・ジャパン, ハウステンボス, 富士急ハイランド, Legoland, レゴランド
~ アトラクション, attraction, 来園者, パレード

= Hokkaido | 北海道
+ 札幌, Sapporo, 函館, 旭川, 知床, ニセコ, 道内, 小樽, 帯広
~ 道, 雪, 観光

= Okinawa | 沖縄
+ 那覇, 普天間, 辺野古, 琉球, 米軍基地 沖縄, 石垣島, 宮古島, 首里城, 沖縄県
~ 基地, 離島, 県民

= Kyoto | 京都
+ 祇園, 清水寺, 京都市, 嵐山, 金閣寺, 京都府, 舞妓
~ 寺, 観光, 古都

= Tokyo | 東京
+ 渋谷, 新宿, 池袋, 銀座, 浅草, 秋葉原, 都内, 東京都, 都知事, 六本木, 東京スカイツリー
~ 区, 都民, 再開発

= Osaka | 大阪 | 関西
+ 大阪市, 大阪府, 梅田, 道頓堀, 大阪万博, 通天閣, なんば, 維新, 吉村知事
~ 関西, 府民, 市民

= World Expo | 万博 | 大阪万博 | 大阪・関西万博
+ ミャクミャク, 夢洲, パビリオン, pavilion, 万博協会, Expo 2025
~ 会場, 来場者, 開幕

= ramen | ラーメン < food
+ つけ麺, 二郎系, 豚骨, とんこつ, 味噌ラーメン, 家系ラーメン, カップ麺, インスタントラーメン, instant noodles
~ 麺, スープ, 店, noodle

= sushi | 寿司 | 鮨 | 回転寿司 < food
+ スシロー, くら寿司, はま寿司, 握り寿司, まぐろ, 大トロ, conveyor belt sushi, 寿司職人
~ ネタ, 魚, 握り

= sweets | desserts | スイーツ | お菓子 | デザート < food
+ ケーキ, cake, chocolate, チョコレート, ice cream, アイスクリーム, プリン, パフェ, 和菓子, ドーナツ, doughnut, パティシエ, pastry, マカロン, クッキー
~ 甘い, sweet, 新作, 味

= restaurants | 外食 | レストラン | 飲食店 | 居酒屋 < food
+ Michelin, ミシュラン, ファミレス, ファミリーレストラン, サイゼリヤ, ガスト, マクドナルド, McDonald's, スターバックス, Starbucks, 吉野家, すき家, chef, シェフ
~ メニュー, menu, 料理, 店舗

= sake | Japanese sake | 日本酒 | 地酒 | 焼酎 < food
+ 酒蔵, 純米大吟醸, 杜氏, 獺祭, 醸造, 芋焼酎, 泡盛, 蔵元
~ 酒, 米, 麹, brewery

= beer | ビール | craft beer | クラフトビール < food
+ アサヒビール, キリンビール, サッポロビール, サントリー, 発泡酒, brewery, ブルワリー, lager, IPA, 第三のビール, pub
~ 泡, 缶, 飲む

= whisky | whiskey | ウイスキー | ハイボール < food
+ 山崎, 白州, Scotch, スコッチ, bourbon, バーボン, distillery, 蒸留所, ニッカ, single malt
~ 樽, 熟成, barrel

= vegetarian | vegan | ヴィーガン | ビーガン | ベジタリアン < food
+ plant-based, 植物由来, 大豆ミート, tofu, 菜食, 代替肉
~ 肉, meat, 野菜

= food safety | 食品安全 | 食の安全 < food
+ 食中毒, food poisoning, 異物混入, 食品表示, 産地偽装, 添加物, recall of food, 賞味期限, E. coli, O157
~ 検査, 回収, 保健所

= interior design | インテリア | home decor | 家具 < lifestyle
+ furniture, IKEA, ニトリ, 無印良品, ソファ, 照明器具, 北欧インテリア, カーテン, 模様替え
~ 部屋, room, デザイン

= organising | tidying | 片付け | 整理整頓 | 収納 | 断捨離 < lifestyle
+ decluttering, こんまり, 近藤麻理恵, Marie Kondo, ミニマリスト, 収納術, 大掃除, 汚部屋, 捨てる
~ 部屋, 物, 掃除

= DIY | home improvement | 日曜大工 < lifestyle
+ ホームセンター, 電動工具, power tools, リフォーム, カインズ, 木工, woodworking, ペンキ
~ 工具, 手作り, 材料

= stationery | 文房具 | 文具 < lifestyle
+ 万年筆, fountain pen, ボールペン, 手帳, ノート術, コクヨ, ほぼ日手帳, シャープペンシル, マスキングテープ, 付箋
~ 書く, 紙, デザイン

= watches | 腕時計 | 時計 < fashion
+ Rolex, ロレックス, Omega watch, オメガ, Seiko, セイコー, G-SHOCK, Gショック, 機械式時計, Swatch
~ 文字盤, ムーブメント, モデル

= jewellery | jewelry | ジュエリー | アクセサリー | 宝石 < fashion
+ diamond, ダイヤモンド, ティファニー, Tiffany, カルティエ, Cartier, necklace, ネックレス, 指輪, ピアス, パール
~ 輝き, デザイン, 石

= kimono | 着物 | 浴衣 < fashion
+ 和装, 振袖, 帯, 呉服, 成人式の着物, 西陣織, 友禅
~ 着付け, 柄, 和

= hairstyle | hair | ヘアスタイル | 髪型 | ヘアケア < beauty
+ 美容院, 美容師, hairdresser, シャンプー, ショートヘア, ボブ, 前髪, トリートメント, 白髪, 薄毛, 育毛, ヘアカラー
~ 髪, カット, ツヤ

= nails | ネイル < beauty
+ マニキュア, nail polish, ジェルネイル, ネイルサロン, ネイリスト
~ 爪, 指先, カラー

= wedding | weddings | 結婚式 | ウエディング | ブライダル < romance
+ 花嫁, 新郎, 披露宴, ウエディングドレス, wedding dress, bride, groom, ハネムーン, honeymoon, 婚約指輪, ゼクシィ, 式場
~ 結婚, ceremony, 祝福

= divorce | 離婚 | 不倫 < romance
+ 慰謝料, 親権, 養育費, 離婚届, alimony, custody battle, 浮気, 別居, 熟年離婚
~ 夫婦, 夫, 妻, marriage

= fortune telling | horoscope | 占い | 星座占い | スピリチュアル | astrology < lifestyle
+ 星占い, 手相, 風水, パワースポット, タロット, tarot, 血液型占い, 開運, 運勢, 四柱推命, 前世
~ 運, 星座, 恋愛運, 金運

= gambling | ギャンブル | casino | カジノ | パチンコ | lottery | 宝くじ
+ betting, bookmaker, 競馬, 競輪, 競艇, パチスロ, スロット, ギャンブル依存症, ロト6, jackpot, poker, ポーカー, IR整備
~ 賭け, bet, 当選, odds

= board games | ボードゲーム | card games | カードゲーム < games
+ トレーディングカード, 遊戯王, ポケモンカード, 人狼ゲーム, Monopoly, 囲碁, 麻雀, mahjong, backgammon, Magic: The Gathering
~ 対戦, players, ルール

= go game | igo | 囲碁
+ 棋士, 本因坊, 棋聖戦, 名人戦 囲碁, 井山裕太, AlphaGo, アルファ碁, 日本棋院
~ 対局, 碁盤, 段

= toys | おもちゃ | 玩具 | hobby | ホビー | プラモデル
+ Lego, レゴ, バンダイ, タカラトミー, ガンプラ, トミカ, リカちゃん, フィギュア, プラレール, 鉄道模型, model kit, ミニ四駆, Mattel, Barbie
~ 子ども, 発売, 組み立て

= Pokémon | Pokemon | ポケモン < games
+ ポケモンGO, ピカチュウ, Pikachu, ポケットモンスター, ポケモンカード, サトシ
~ ゲーム, game, 任天堂, トレーナー

= Nintendo | 任天堂 < games
+ Nintendo Switch, ニンテンドースイッチ, 3DS, Wii, スーパーマリオ, Mario, Zelda, ゼルダの伝説, どうぶつの森, スプラトゥーン, GameCube, ニンテンドーDS
~ ゲーム, console, 発売

= PlayStation | プレイステーション | プレステ < games
+ PS5, PS4, PS3, PS Vita, PSP, ソニー・インタラクティブエンタテインメント, PlayStation Store, SCE
~ ゲーム, console, Sony, ソニー

= Studio Ghibli | ジブリ | スタジオジブリ < anime
+ 宮崎駿, Hayao Miyazaki, トトロ, 千と千尋, もののけ姫, 魔女の宅急便, 鈴木敏夫, コクリコ坂, 高畑勲, ジブリパーク
~ 監督, アニメ, 映画

= Disney | ディズニー < film
+ Mickey Mouse, ミッキーマウス, Pixar, ピクサー, アナと雪の女王, トイ・ストーリー, Marvel Studios, 白雪姫, Disney+
~ アニメ, プリンセス, animation

= Star Wars | スター・ウォーズ < film
+ George Lucas, ジョージ・ルーカス, Jedi, ジェダイ, Darth Vader, ダース・ベイダー, Lucasfilm, マンダロリアン
~ film, 映画, saga

= Harry Potter | ハリー・ポッター < film
+ J.K. Rowling, J・K・ローリング, Hogwarts, ホグワーツ, Daniel Radcliffe, エマ・ワトソン, ファンタスティック・ビースト
~ 魔法, wizard, 映画, book

= horror | ホラー | 怪談 | オカルト | 都市伝説
+ horror film, 心霊, 幽霊, ghost, ゾンビ, zombie, UFO, 怖い話, 心霊スポット, 呪い, 貞子, 超常現象, 未確認生物
~ 恐怖, scary, 怖い

= tv drama | ドラマ | テレビドラマ | 連続ドラマ < television
+ 月9, 朝ドラ, 連続テレビ小説, 大河ドラマ, 日曜劇場, drama series, 半沢直樹, 主演ドラマ, 最終回, sitcom, 家政婦のミタ
~ 脚本, 視聴率, 主演, episode

= announcers | newscasters | アナウンサー | 女子アナ < television
+ フリーアナウンサー, キャスター, 局アナ, 女性アナ, news anchor, ニュースキャスター
~ テレビ局, 番組, 司会

= models | modeling | モデル業界 | ファッションモデル < fashion
+ supermodel, スーパーモデル, 読者モデル, パリコレ, グラビア, Kate Moss, Naomi Campbell, 専属モデル, ミスコン, Miss Universe
~ ランウェイ, 撮影, スタイル

= Linux distributions | Ubuntu | Debian < technology
+ Fedora, Red Hat, Arch Linux, Linux Mint, systemd, GNOME, KDE, kernel
~ package, パッケージ, release

= browsers | web browser | ブラウザ | ブラウザー < technology
+ Firefox, Chrome, Safari, Internet Explorer, Microsoft Edge, Mozilla, Opera, アドオン, 拡張機能
~ 表示, tab, タブ, plugin

= search engines | web search | 検索エンジン | 検索 | SEO < technology
+ Google検索, Bing, Yahoo!検索, 検索順位, DuckDuckGo, 検索アルゴリズム, PageRank
~ query, ranking, 検索結果

= digital transformation | DX | デジタル化 < business
+ デジタル庁, 業務効率化, RPA, ペーパーレス, 脱ハンコ, SaaS, クラウド化, 電子契約
~ システム, 導入, 業務

= digital publishing | e-books | 電子書籍 | Kindle < books
+ キンドル, kobo, 電子書籍リーダー, e-reader, 電子書店, 楽天Kobo, Nook, E Ink
~ 本, 出版社, 端末

= spam | spam mail | 迷惑メール | スパム < technology
+ phishing, フィッシング, junk mail, spammer, スパムメール, フィルタリング
~ mail, メール, filter

= piracy | file sharing | 海賊版 | 違法ダウンロード < technology
+ peer-to-peer, BitTorrent, Winny, 漫画村, Napster, Kazaa, 著作権侵害, illegal downloads, torrent
~ copyright, download, 著作権, 無断

= satellites | satellite | 人工衛星 | 衛星 < space
+ Starlink, スターリンク, GPS, みちびき, 気象衛星, ひまわり, communications satellite, 通信衛星, 打ち上げ衛星
~ orbit, 軌道, launch

= Mars | 火星 < space
+ Mars rover, Perseverance, Curiosity, 火星探査, Martian, 火星着陸, Mars Express, Opportunity rover
~ rover, 探査, NASA, 生命

= moon | lunar exploration | 月 | 月探査 < space
+ 月面, 月面着陸, lunar lander, Artemis, アルテミス計画, SLIM, アポロ, Apollo, かぐや, 月食, 満月
~ lunar, crater, 探査, 着陸

= volunteering | charity | NPO | ボランティア | 慈善
+ donation, 寄付, 募金, fundraising, クラウドファンディング, crowdfunding, 災害ボランティア, Red Cross, 赤十字, NGO
~ 支援, 活動, help

= immigration policy | migrants | 移民 | 外国人労働者 < politics
+ asylum seeker, 技能実習生, 特定技能, 入管法, 出入国在留管理庁, border patrol, visa rules, 不法滞在, deportation, 強制送還
~ 外国人, 受け入れ, border, 在留資格

= death penalty | capital punishment | 死刑 < crime
+ 死刑囚, 死刑執行, death row, 死刑判決, lethal injection, executed
~ 法務省, 判決, execution

= prisons | prison | 刑務所 < crime
+ inmate, 受刑者, jail, 出所, 仮釈放, parole, 少年院, 獄中
~ guards, 刑, 収容

= Nobel Prize | ノーベル賞 < science
+ Nobel laureate, ノーベル平和賞, ノーベル文学賞, ノーベル物理学賞, ノーベル化学賞, Nobel Peace Prize, ノーベル生理学・医学賞
~ 受賞, Stockholm, 授賞式, 賞

= inventions | patents | 特許 | 発明 < science
+ intellectual property, 知的財産, inventor, 発明家, 特許庁, 特許侵害, patent infringement, 特許権
~ 訴訟, license, 技術
`;
