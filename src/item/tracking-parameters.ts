/**
 * Query parameters that record how a reader reached a page, not which page it is. A name is listed only if no site uses
 * it to select content; a name that is also used for that is removed only on the hosts or with the values listed.
 */

/** Names that begin like this; letter case does not matter. */
const TRACKING_PREFIXES: readonly string[] = [
  'utm_', // Google Analytics and its successors
  'mtm_', // Matomo
  'matomo_',
  'hsa_', // HubSpot ads
  '__hs', // HubSpot: __hssc, __hstc, __hsfp
  'ns_mchannel', // comScore
  'at_bbc_', // BBC
  'guce_', // Yahoo consent
  'gad_', // Google ads
];

/** Names as they are; letter case does not matter. */
const TRACKING_NAMES: readonly string[] = [
  // Click IDs of advertisers and networks.
  'fbclid',
  'gclid',
  'gclsrc',
  'dclid',
  'gbraid',
  'wbraid',
  'msclkid',
  'yclid',
  'ysclid',
  'twclid',
  'ttclid',
  'li_fat_id',
  'igshid',
  'igsh',
  'srsltid',
  'epik',
  'rdt_cid',
  'sccid',
  'irclickid',
  'wickedid',
  '_openstat',
  // Google Analytics across domains.
  '_ga',
  '_gl',
  // Matomo's older names.
  'pk_campaign',
  'pk_cpn',
  'pk_kwd',
  'pk_keyword',
  'pk_source',
  'pk_medium',
  'pk_content',
  'pk_cid',
  // Newsletters and marketing mail.
  'mc_cid',
  'mc_eid',
  'mkt_tok',
  '_hsenc',
  '_hsmi',
  'hsctatracking',
  'oly_enc_id',
  'oly_anon_id',
  'vero_id',
  'vero_conv',
  '_ke',
  '_kx',
  '_bta_tid',
  '_bta_c',
  'ml_subscriber',
  'ml_subscriber_hash',
  // Publishers.
  'at_medium',
  'at_campaign',
  'at_custom1',
  'at_custom2',
  'at_custom3',
  'at_custom4',
  'at_link_id',
  'at_link_type',
  'at_link_origin',
  'at_format',
  'at_ptr_name',
  'ns_source',
  'ns_campaign',
  'ns_linkname',
  'ns_fee',
  'wt.mc_id',
  'wt_mc',
  'wt_zmc',
  'xtor',
  'smid',
  'smtyp',
  'guccounter',
  '__twitter_impression',
  'ref_src',
  'ref_url',
];

/** Names that mean tracking on these hosts (and the hosts below them) alone. */
const TRACKING_BY_HOST: Readonly<Record<string, readonly string[]>> = {
  'youtube.com': ['si', 'feature', 'pp', 'ab_channel'],
  'youtu.be': ['si', 'feature'],
  'open.spotify.com': ['si'],
  'twitter.com': ['s', 't'],
  'x.com': ['s', 't'],
  'medium.com': ['source'],
  'theguardian.com': ['cmp'],
  'nikkei.com': ['n_cid'],
  'asahi.com': ['iref'],
};

/**
 * Names that often select content (a branch, a document number, a filter) and are removed only with a value that can only
 * be a referrer.
 */
const TRACKING_BY_VALUE: readonly { readonly names: readonly string[]; readonly value: RegExp }[] = [
  {
    names: ['ref', 'referrer', 'source', 'src', 'from', 'via', 'partner', 'cmp', 'cmpid', 'cid', 'emc'],
    value: /^(rss|rss2|atom|feed|feeds|rss[-_]?feed|feedburner|newsletter)$/i,
  },
  {
    names: ['ref', 'referrer'],
    value: /^(twitter|facebook|hackernews|hn|producthunt|reddit|mastodon|bluesky|linkedin|hatena)$/i,
  },
  {
    // Blog systems add the host name of the page that linked here.
    names: ['ref'],
    value:
      /^(www\.)?[a-z0-9-]+(\.[a-z0-9-]+)*\.(com|org|net|io|co|dev|app|xyz|blog|news|jp|uk|de|fr|eu|me|email)$/i,
  },
];

const names = new Set(TRACKING_NAMES);

/** Whether this parameter does not identify the page. `name` and `value` are decoded. */
export function isTracking(host: string, name: string, value: string): boolean {
  const lower = name.toLowerCase();
  return (
    names.has(lower) ||
    TRACKING_PREFIXES.some((prefix) => lower.startsWith(prefix)) ||
    TRACKING_BY_VALUE.some((entry) => entry.names.includes(lower) && entry.value.test(value)) ||
    Object.entries(TRACKING_BY_HOST).some(
      ([known, theirs]) => (host === known || host.endsWith(`.${known}`)) && theirs.includes(lower),
    )
  );
}
