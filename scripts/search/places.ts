/**
 * Large cities and regions whose clock is that of another city's zone, and what people call it. The first zone of a country stands for the
 * country. Names are separated by commas; pinyin and the other script are added by themselves, cities of the zones by Unicode CLDR.
 */
export const PLACES = `
Asia/Shanghai: 北京, Beijing, Peking, 上海, 深圳, Shenzhen, 广州, Guangzhou, Canton, 成都, Chengdu, 重庆, Chongqing, 天津, Tianjin, 武汉, Wuhan, 杭州, Hangzhou, 南京, Nanjing, 苏州, Suzhou, 西安, Xian, 长沙, Changsha, 郑州, Zhengzhou, 青岛, Qingdao, 大连, Dalian, 沈阳, Shenyang, 哈尔滨, Harbin, 长春, Changchun, 济南, Jinan, 厦门, Xiamen, Amoy, 福州, Fuzhou, 泉州, Quanzhou, 宁波, Ningbo, 温州, Wenzhou, 无锡, Wuxi, 合肥, Hefei, 南昌, Nanchang, 昆明, Kunming, 贵阳, Guiyang, 南宁, Nanning, 桂林, Guilin, 海口, Haikou, 三亚, Sanya, 石家庄, Shijiazhuang, 太原, Taiyuan, 呼和浩特, Hohhot, 兰州, Lanzhou, 银川, Yinchuan, 西宁, Xining, 拉萨, Lhasa, 东莞, Dongguan, 佛山, Foshan, 珠海, Zhuhai, 中山, 惠州, Huizhou, 汕头, Shantou, 常州, Changzhou, 徐州, Xuzhou, 南通, Nantong, 嘉兴, 绍兴, 金华, 义乌, Yiwu, 台州, 烟台, Yantai, 潍坊, 临沂, 唐山, 保定, 洛阳, Luoyang, 宜昌, 襄阳, 广东, Guangdong, 江苏, 浙江, Zhejiang, 山东, 四川, Sichuan, 湖北, 湖南, 河南, 河北, 福建, Fujian, 安徽, 江西, 陕西, 山西, 辽宁, 吉林, 黑龙江, 云南, Yunnan, 贵州, 广西, 海南, Hainan, 甘肃, 青海, 宁夏, 内蒙古, 西藏, Tibet, 东八区, 北京时间, PRC, CST
Asia/Urumqi: 新疆, Xinjiang, 喀什, Kashgar
Asia/Hong_Kong: 香港, 九龙, Kowloon, HKT, HK
Asia/Macau: 澳门, Macao
Asia/Taipei: 台北, 新北, 高雄, Kaohsiung, 台中, Taichung, 台南, Tainan, 桃园, Taoyuan, 新竹, Hsinchu, 基隆, Keelung, 嘉义, 屏东, 花莲, 宜兰, 彰化, 中华民国, CST
Asia/Tokyo: 东京, 大阪, Osaka, 京都, Kyoto, 横滨, Yokohama, 名古屋, Nagoya, 札幌, Sapporo, 福冈, Fukuoka, 神户, Kobe, 北海道, Hokkaido, 冲绳, Okinawa, JST, Nippon, トウキョウ, オオサカ
Asia/Seoul: 首尔, 汉城, 釜山, Busan, Pusan, 仁川, Incheon, 大邱, Daegu, 济州, Jeju, 서울, 부산, 南韩, KST, ROK
Asia/Pyongyang: 北韩, DPRK
Asia/Singapore: 星加坡, 狮城, SGT
Asia/Kuala_Lumpur: 槟城, Penang, 新山, Johor Bahru, 马六甲, Malacca, 大马, MYT
Asia/Kuching: 沙巴, Sabah, 亚庇, Kota Kinabalu
Asia/Bangkok: 清迈, Chiang Mai, 普吉, Phuket, 芭提雅, Pattaya, กรุงเทพ, Krung Thep, ICT
Asia/Saigon: 西贡, Saigon, Sài Gòn, 河内, Hanoi, Hà Nội, 岘港, Da Nang, Đà Nẵng, 海防, Hai Phong, 芽庄, Nha Trang, ICT
Asia/Jakarta: 万隆, Bandung, 泗水, Surabaya, 棉兰, Medan, 三宝垄, Semarang, 日惹, Yogyakarta, WIB
Asia/Makassar: 巴厘岛, Bali, Denpasar, 锡江, WITA
Asia/Jayapura: WIT
Asia/Manila: 宿务, Cebu, 达沃, Davao, Quezon City, PHT, PHST
Asia/Phnom_Penh: 西港, Sihanoukville, 暹粒, Siem Reap
Asia/Rangoon: 曼德勒, Mandalay, 内比都, Naypyidaw
Asia/Vientiane: 琅勃拉邦, Luang Prabang
Asia/Calcutta: 孟买, Mumbai, Bombay, 德里, 新德里, Delhi, New Delhi, 班加罗尔, Bangalore, Bengaluru, 金奈, Chennai, Madras, 海得拉巴, Hyderabad, 浦那, Pune, 艾哈迈达巴德, Ahmedabad, Jaipur, Surat, Lucknow, Goa, Kochi, Kolkata, Bharat, IST
Asia/Karachi: 拉合尔, Lahore, 伊斯兰堡, Islamabad, Rawalpindi, Faisalabad, Peshawar, PKT
Asia/Dhaka: 吉大港, Chittagong, BST
Asia/Colombo: Kandy, 斯里兰卡
Asia/Katmandu: Pokhara, NPT
Asia/Kabul: 坎大哈, Kandahar
Asia/Dubai: 迪拜, 阿布扎比, Abu Dhabi, 沙迦, Sharjah, 阿联酋, UAE, Emirates, GST
Asia/Riyadh: 吉达, Jeddah, 麦加, Mecca, 麦地那, Medina, AST, KSA, Saudi
Asia/Qatar: 多哈, Doha
Asia/Tehran: 伊斯法罕, Isfahan, Mashhad, Shiraz, IRST
Asia/Baghdad: 巴士拉, Basra, Mosul, Erbil
Asia/Jerusalem: 特拉维夫, Tel Aviv, 海法, Haifa, IST
Asia/Almaty: 阿斯塔纳, Astana
Asia/Tashkent: 撒马尔罕, Samarkand
Europe/London: 曼彻斯特, Manchester, 伯明翰, Birmingham, 利物浦, Liverpool, 爱丁堡, Edinburgh, 格拉斯哥, Glasgow, 利兹, Leeds, 布里斯托, Bristol, 牛津, Oxford, 剑桥, Cambridge, 卡迪夫, Cardiff, Belfast, 英格兰, England, 苏格兰, Scotland, 威尔士, Wales, Britain, Great Britain, UK, Londres, 格林尼治, Greenwich, WET
Europe/Dublin: Cork, 科克, IST
Europe/Paris: 里昂, Lyon, 马赛, Marseille, 尼斯, Nice, 波尔多, Bordeaux, 图卢兹, Toulouse, 里尔, Lille, 斯特拉斯堡, Strasbourg
Europe/Berlin: 柏林, 慕尼黑, Munich, München, 法兰克福, Frankfurt, 汉堡, Hamburg, 科隆, Cologne, Köln, 杜塞尔多夫, Düsseldorf, Duesseldorf, 斯图加特, Stuttgart, 莱比锡, Leipzig, 德累斯顿, Dresden, 纽伦堡, Nürnberg, Nuremberg, 多特蒙德, Dortmund, MEZ
Europe/Vienna: Wien, 萨尔茨堡, Salzburg, Graz, Innsbruck
Europe/Zurich: 日内瓦, Geneva, Genève, 巴塞尔, Basel, 伯尔尼, Bern, 洛桑, Lausanne, Lugano
Europe/Rome: Roma, 米兰, Milan, Milano, 威尼斯, Venice, Venezia, 佛罗伦萨, Florence, Firenze, 那不勒斯, Naples, Napoli, 都灵, Turin, Torino, 博洛尼亚, Bologna, 热那亚, Genoa
Europe/Madrid: 巴塞罗那, Barcelona, 瓦伦西亚, Valencia, 塞维利亚, Seville, Sevilla, 马拉加, Málaga, Bilbao, Zaragoza
Europe/Lisbon: Lisboa, 波尔图, Porto
Europe/Amsterdam: 鹿特丹, Rotterdam, 海牙, The Hague, Den Haag, 乌得勒支, Utrecht, Eindhoven, Holland, 荷兰
Europe/Brussels: Bruxelles, 安特卫普, Antwerp, 根特, Ghent, Bruges
Europe/Copenhagen: København, Aarhus
Europe/Stockholm: 哥德堡, Gothenburg, Göteborg, Malmö
Europe/Oslo: 卑尔根, Bergen
Europe/Helsinki: Tampere, Espoo, EET
Europe/Warsaw: Warszawa, 克拉科夫, Krakow, Kraków, Wrocław, Gdańsk, Łódź, Lodz
Europe/Prague: Praha, Brno, 捷克, Czech Republic
Europe/Athens: 雅典, Thessaloniki, EET
Europe/Bucharest: Cluj, București
Europe/Belgrade: Beograd
Europe/Kiev: 敖德萨, Odesa, Odessa, 利沃夫, Lviv, 哈尔科夫, Kharkiv, Kyiv, Київ, EET
Europe/Moscow: Москва, Moskva, 圣彼得堡, Saint Petersburg, St Petersburg, 喀山, Kazan, 索契, Sochi, MSK
Europe/Istanbul: 安卡拉, Ankara, 伊兹密尔, Izmir, 安塔利亚, Antalya, Turkey, TRT
Africa/Cairo: 亚历山大, Alexandria, EET
Africa/Johannesburg: 开普敦, Cape Town, 德班, Durban, 比勒陀利亚, Pretoria, SAST
Africa/Lagos: 阿布贾, Abuja, Kano, WAT
Africa/Nairobi: 蒙巴萨, Mombasa, EAT
Africa/Casablanca: 拉巴特, Rabat, 马拉喀什, Marrakech, Tangier
Africa/Dar_es_Salaam: 桑给巴尔, Zanzibar, EAT
America/New_York: 纽约, 波士顿, Boston, 华盛顿, Washington DC, 费城, Philadelphia, 亚特兰大, Atlanta, 迈阿密, Miami, 奥兰多, Orlando, 坦帕, Tampa, 夏洛特, Charlotte, 匹兹堡, Pittsburgh, 克利夫兰, Cleveland, 巴尔的摩, Baltimore, 布法罗, Buffalo, 纽瓦克, Newark, Jersey City, 佛罗里达, 佛州, Florida, 新泽西, New Jersey, 马萨诸塞, 麻省, Massachusetts, 宾州, Pennsylvania, 弗吉尼亚, Virginia, 佐治亚, Georgia, 北卡, North Carolina, South Carolina, Ohio, 俄亥俄, Columbus, Cincinnati, Connecticut, Maryland, NYC, Nueva York, Big Apple, 美东, 美国东部, 东部时间, USA, 美利坚, America, States, U.S.A., ET, EST, EDT, ニューヨーク, 뉴욕
America/Chicago: 休斯顿, 休斯敦, Houston, 达拉斯, Dallas, 奥斯汀, Austin, 圣安东尼奥, San Antonio, 新奥尔良, New Orleans, 明尼阿波利斯, Minneapolis, 圣路易斯, St Louis, 堪萨斯城, Kansas City, 纳什维尔, Nashville, 孟菲斯, Memphis, 密尔沃基, Milwaukee, 得州, 德州, 德克萨斯, Texas, 伊利诺伊, Illinois, Minnesota, Wisconsin, Louisiana, Alabama, 美中, 美国中部, 中部时间, USA, CT, CST, CDT
America/Denver: 盐湖城, Salt Lake City, 科罗拉多, Colorado, 犹他, Utah, New Mexico, Albuquerque, 山地时间, USA, MT, MST, MDT
America/Phoenix: 亚利桑那, Arizona, Tucson, USA, MST
America/Los_Angeles: 旧金山, 三藩市, 圣弗朗西斯科, San Francisco, 西雅图, Seattle, 拉斯维加斯, Las Vegas, 圣地亚哥, San Diego, 圣何塞, San Jose, 硅谷, Silicon Valley, 波特兰, Portland, 萨克拉门托, Sacramento, 奥克兰, Oakland, 好莱坞, Hollywood, 尔湾, Irvine, 加州, 加利福尼亚, California, 华盛顿州, Washington State, 俄勒冈, Oregon, 内华达, Nevada, LA, SF, 美西, 美国西部, 西部时间, USA, PT, PST, PDT, ロサンゼルス
America/Anchorage: 阿拉斯加, Alaska, USA, AKST
Pacific/Honolulu: 夏威夷, 檀香山, Hawaii, USA, HST
America/Detroit: 密歇根, Michigan, USA, EST
America/Indianapolis: 印第安纳, Indiana, USA
America/Boise: 爱达荷, Idaho, USA
America/Toronto: 渥太华, Ottawa, 蒙特利尔, 蒙特娄, Montreal, Montréal, 魁北克, Quebec, 安大略, Ontario, 密西沙加, Mississauga, EST, EDT
America/Vancouver: 温哥华, 维多利亚, Victoria, 本拿比, Burnaby, 列治文, Richmond, 不列颠哥伦比亚, 卑诗省, British Columbia, BC, PST, PDT
America/Edmonton: 卡尔加里, 卡加利, Calgary, 阿尔伯塔, Alberta, MST
America/Winnipeg: 曼尼托巴, Manitoba
America/Regina: Saskatchewan, Saskatoon
America/Halifax: 新斯科舍, Nova Scotia, AST
America/Mexico_City: 瓜达拉哈拉, Guadalajara, 普埃布拉, Puebla, CDMX, 墨西哥城
America/Monterrey: 蒙特雷
America/Tijuana: 蒂华纳
America/Cancun: 坎昆
America/Sao_Paulo: 里约热内卢, 里约, Rio de Janeiro, 巴西利亚, Brasília, Belo Horizonte, Curitiba, Porto Alegre, BRT
America/Buenos_Aires: 科尔多瓦, Rosario, ART
America/Santiago: Valparaíso, CLT
America/Bogota: 麦德林, Medellín, Cali, Cartagena
America/Lima: 库斯科, Cusco
America/Guayaquil: 基多, Quito
America/Caracas: Maracaibo
America/Havana: 古巴
Australia/Sydney: 悉尼, 雪梨, 堪培拉, 坎培拉, Canberra, 纽卡斯尔, Newcastle, Wollongong, 新南威尔士, New South Wales, NSW, 澳洲, AEST, AEDT
Australia/Melbourne: 墨尔本, Geelong, 维多利亚州, Victoria, AEST
Australia/Brisbane: 黄金海岸, Gold Coast, 昆士兰, Queensland, 凯恩斯, Cairns, AEST
Australia/Perth: 西澳, Western Australia, AWST
Australia/Adelaide: 南澳, South Australia, ACST
Australia/Hobart: 塔斯马尼亚, Tasmania
Pacific/Auckland: 惠灵顿, 威灵顿, Wellington, 基督城, Christchurch, 皇后镇, Queenstown, 但尼丁, Dunedin, 纽西兰, NZST
Pacific/Guam: 关岛, ChST
UTC: 世界时间, 协调世界时, 格林尼治, Greenwich, GMT, Zulu
`;
