import { type Localised, localised } from '@fairtick/protocol/languages';

export const TEXTS = {
  title: localised('不必相信我们，自己核对', '不必相信我們，自己核對', 'Don’t trust us. Check us.'),
  description: localised(
    '外汇、指数、股票、能源与加密货币的短期合约。每个价格先写入公开日志，每笔结算都能在您自己的手机上核对。',
    '外匯、指數、股票、能源與加密貨幣的短期合約。每個價格先寫入公開日誌，每筆結算都能在您自己的手機上核對。',
    'Short-term contracts on currencies, indices, stocks, energy and crypto. Every price goes into a public log first, and you can check every settlement on your own phone.',
  ),
  headline: localised(
    '不必相信我们。\n自己核对。',
    '不必相信我們。\n自己核對。',
    'Don’t trust us.\nCheck us.',
  ),
  lead: localised(
    '一个价格会涨还是会跌？您选方向，1 至 60 分钟，赔付率固定。\n价格先写入公开日志，您才看到它：谁也不能事后挑价格，我们也不能。',
    '一個價格會漲還是會跌？您選方向，1 至 60 分鐘，賠付率固定。\n價格先寫入公開日誌，您才看到它：誰也不能事後挑價格，我們也不能。',
    'Will a price rise or fall? Choose, for 1 to 60 minutes, at a fixed payout rate.\nEvery price is written to a public log before anyone sees it. Nobody can pick one afterwards, not even us.',
  ),
  enter: localised('进入交易大厅', '進入交易大廳', 'Start trading'),
  whoTitle: localised('谁在运营', '誰在營運', 'Who runs it'),
  whoDemo: localised(
    '这是模拟盘：没有牌照，没有真实交易。',
    '這是模擬盤：沒有牌照，沒有真實交易。',
    'This is a demo. It has no licence and no real trading.',
  ),
  whoLive: localised(
    '{name}，受 {regulator} 监管，牌照号码 {number}。',
    '{name}，受 {regulator} 監管，牌照號碼 {number}。',
    '{name}, regulated by {regulator}, licence {number}.',
  ),
  whereTitle: localised('哪里不能使用', '哪裡不能使用', 'Where it is not available'),
  costTitle: localised('费用', '費用', 'What it costs'),
  costText: localised(
    '下单不收手续费。平台的收入在赔付率里：平均每投入 100 留下 {edge}；胜率达到 {even} 才保本。',
    '下單不收手續費。平台的收入在賠付率裡：平均每投入 100 留下 {edge}；勝率達到 {even} 才保本。',
    'No commission on orders. We earn by the payout rate: on average {edge} of every 100 staked. You break even when {even} of your orders win.',
  ),
  checkTitle: localised('如何核对', '如何核對', 'How to check'),
  checkText: localised(
    '每笔结算都有凭证，由您自己的浏览器核对。下面有一张，现在就可以试。',
    '每筆結算都有憑證，由您自己的瀏覽器核對。下面有一張，現在就可以試。',
    'Every settlement has a receipt that your own browser checks. Try one below.',
  ),
  practiceTitle: localised('10,000 模拟资金', '10,000 模擬資金', '10,000 in practice money'),
  practiceText: localised(
    '注册即有，每天最多重置 20 次；不能充值，也不能提现。',
    '註冊即有，每天最多重置 20 次；不能入金，也不能出金。',
    'Included with every account; you can reset it up to 20 times a day. It cannot be deposited or withdrawn.',
  ),
  marketsHeading: localised('{products} 种产品', '{products} 種產品', '{products} products'),
  marketsText: localised(
    '外汇与差价合约经纪商常见的市场，在这里是固定时间、固定赔付率的合约：您并不持有货币、股票或原油。',
    '外匯與差價合約經紀商常見的市場，在這裡是固定時間、固定賠付率的合約：您並不持有貨幣、股票或原油。',
    'The markets of a forex and CFD broker, as contracts with a fixed time and payout rate. You own no currency, share or oil.',
  ),
  marketsNote: localised(
    '按此刻的产品目录计数。价格为多个来源的中位数。',
    '按此刻的產品目錄計數。價格為多個來源的中位數。',
    'Counted from the catalogue as it is now. Prices are the median of several sources.',
  ),
  marketsAll: localised('查看全部产品', '查看全部產品', 'See all products'),
  stepsHeading: localised('一笔订单，三个时刻', '一筆訂單，三個時刻', 'One order, three moments'),
  stepsText: localised(
    '每个时刻在公开日志里都有位置。',
    '每個時刻在公開日誌裡都有位置。',
    'Each has its place in the public log.',
  ),
  acceptTitle: localised('受理', '受理', 'Acceptance'),
  acceptText: localised(
    '我们签名确认您的条款，以及日志当时的位置。',
    '我們簽名確認您的條款，以及日誌當時的位置。',
    'We sign your terms together with the log’s position at that moment.',
  ),
  openTitle: localised('开仓', '開倉', 'Opening'),
  openText: localised(
    '在您的应用随订单指定的时间开仓。订单至少提前一秒写入日志，那时还没有人知道价格。',
    '在您的應用程式隨訂單指定的時間開倉。訂單至少提前一秒寫入日誌，那時還沒有人知道價格。',
    'At the time that your app names with the order. The order is in the log at least a second before, when nobody knows the price yet.',
  ),
  settleTitle: localised('结算', '結算', 'Settlement'),
  settleText: localised(
    '以结算时刻的价格结算。价格未动，投入全数退还；没有价格，则判您盈利。',
    '以結算時刻的價格結算。價格未動，投入全數退還；沒有價格，則判您獲利。',
    'At the price of the settlement time. If it has not moved, the whole stake goes back. If there is no price, you win.',
  ),
  profileHeading: localised('运营方的声明', '營運方的聲明', 'Operator’s statements'),
  profileText: localised(
    '产品由我们自己计数。以下几项无法计数：在模拟盘中它们只是示例文字，不是事实。',
    '產品由我們自己計數。以下幾項無法計數：在模擬盤中它們只是範例文字，不是事實。',
    'We count the products ourselves. The following cannot be counted: in this demo they are sample texts, not facts.',
  ),
  profileLive: localised(
    '产品由我们自己计数。以下几项无法计数：这是运营方自己的声明。',
    '產品由我們自己計數。以下幾項無法計數：這是營運方自己的聲明。',
    'We count the products ourselves. The following cannot be counted: they are the operator’s own statements.',
  ),
  sample: localised('示例', '範例', 'Sample'),
  regionsHeading: localised('受限地区', '受限地區', 'Restricted regions'),
  regionsText: localised(
    '以下国家和地区的居民不能开户。模拟盘中只作提示。',
    '以下國家和地區的居民不能開戶。模擬盤中只作提示。',
    'Residents of these countries and regions cannot open an account. In the demo this is only a notice.',
  ),
  regionsLive: localised(
    '以下国家和地区的居民不能开户；其他地区以注册页所列为准。',
    '以下國家和地區的居民不能開戶；其他地區以註冊頁所列為準。',
    'Residents of these countries and regions cannot open an account; the registration form lists all restricted regions.',
  ),
  riskHeading: localised('风险', '風險', 'Risk'),
  regulatory: localised(
    '在许多国家，向零售客户提供固定时间合约受到限制或禁止。监管机构与牌照号码由运营方载明；本模拟盘没有牌照，也不提供真实交易。本页不是投资建议，也不是要约。',
    '在許多國家，向零售客戶提供固定時間合約受到限制或禁止。監管機構與牌照號碼由營運方載明；本模擬盤沒有牌照，也不提供真實交易。本頁不是投資建議，也不是要約。',
    'In many countries, fixed-time contracts are restricted or banned for retail customers. The operator must name its regulator and licence; this demo has none and offers no real trading. Nothing on this page is investment advice or an offer.',
  ),
  regulatoryLive: localised(
    '{name}，受 {regulator} 监管，牌照号码 {number}。在许多国家，向零售客户提供固定时间合约受到限制或禁止。本页不是投资建议，也不是要约。',
    '{name}，受 {regulator} 監管，牌照號碼 {number}。在許多國家，向零售客戶提供固定時間合約受到限制或禁止。本頁不是投資建議，也不是要約。',
    '{name}, regulated by {regulator}, licence {number}. In many countries, fixed-time contracts are restricted or banned for retail customers. Nothing on this page is investment advice or an offer.',
  ),
  evenLabel: localised('保本胜率', '保本勝率', 'break-even rate'),
  edgeLabel: localised(
    '平台期望收益率（每笔投入平均）',
    '平台期望收益率（每筆投入平均）',
    'average house edge per stake',
  ),
  losersValue: localised('尚无数据', '尚無資料', 'No data yet'),
  losersLabel: localised(
    '十二个月内亏损的客户比例',
    '十二個月內虧損的客戶比例',
    'of customers lost money over 12 months',
  ),
  losersUntil: localised(
    '截至 {day} 的十二个月内亏损的客户比例',
    '截至 {day} 的十二個月內虧損的客戶比例',
    'of customers lost money over the 12 months to {day}',
  ),
  api: localised('API 文档', 'API 文件', 'API'),
  simulated: localised('本站价格均为模拟', '本站價格均為模擬', 'All prices are simulated'),
  replayed: localised('本站价格为历史回放', '本站價格為歷史重播', 'All prices are replayed from recordings'),
  sourced: localised('价格取自多个来源', '價格取自多個來源', 'Prices come from several sources'),
  register: localised('注册', '註冊', 'Register'),
  login: localised('登录', '登入', 'Log in'),
} as const satisfies Record<string, Localised>;

export const CLASS_LABELS = {
  forex: localised('货币对', '貨幣對', 'Currency pairs'),
  stock: localised('股票', '股票', 'Stocks'),
  index: localised('指数', '指數', 'Indices'),
  energy: localised('能源', '能源', 'Energy'),
  metal: localised('金属', '金屬', 'Metals'),
  crypto: localised('加密货币', '加密貨幣', 'Crypto'),
} as const satisfies Record<string, Localised>;

/** Facts that only an operator can make true. This profile is the demo's: the specification's figures, each a sample. */
export const DEMO_PROFILE = [
  {
    id: 'company',
    figure: null,
    title: localised('差价合约与外汇经纪商', '差價合約與外匯經紀商', 'CFD and forex broker'),
    text: localised(
      '外汇、指数、股票与能源',
      '外匯、指數、股票與能源',
      'Currencies, indices, stocks and energy',
    ),
  },
  {
    id: 'team',
    figure: '450+',
    title: localised('团队', '團隊', 'Team'),
    text: localised('全球员工人数', '全球員工人數', 'Employees worldwide'),
  },
  {
    id: 'continents',
    figure: '4',
    title: localised('大洲', '大洲', 'Continents'),
    text: localised('设有办公室的大洲', '設有辦公室的大洲', 'With our offices'),
  },
  {
    id: 'platform',
    figure: 'MT4',
    title: localised('交易平台', '交易平台', 'Trading platform'),
    text: localised('与本应用一同提供', '與本應用程式一同提供', 'Offered alongside this app'),
  },
  {
    id: 'funds',
    figure: null,
    title: localised('客户资金隔离', '客戶資金隔離', 'Segregated client funds'),
    text: localised(
      '与运营方自有资金分开存放',
      '與營運方自有資金分開存放',
      'Kept separate from the operator’s own funds',
    ),
  },
  {
    id: 'regulation',
    figure: null,
    title: localised('监管', '監管', 'Regulation'),
    text: localised('监管机构与牌照号码', '監管機構與牌照號碼', 'Regulator and licence number'),
  },
] as const;

/** The shipped list of regions under readable names; the European Economic Area is one entry. */
export const REGIONS = [
  { code: 'US', name: localised('美国', '美國', 'United States') },
  { code: 'CA', name: localised('加拿大', '加拿大', 'Canada') },
  { code: 'GB', name: localised('英国', '英國', 'United Kingdom') },
  { code: 'EEA', name: localised('欧洲经济区', '歐洲經濟區', 'EEA') },
  { code: 'IL', name: localised('以色列', '以色列', 'Israel') },
  { code: 'AU', name: localised('澳大利亚', '澳洲', 'Australia') },
  { code: 'JP', name: localised('日本', '日本', 'Japan') },
  { code: 'CN', name: localised('中国内地', '中國大陸', 'Mainland China') },
  { code: 'HK', name: localised('中国香港', '香港', 'Hong Kong') },
] as const;
