import { readFile } from 'node:fs/promises';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import type { ItemKey } from '../../src/item/item.ts';
import { requires } from '../requirements.ts';
import { chromiumPath } from './chromium.ts';
import { openReaderBrowser, type ReaderBrowser, type ReaderFixture } from './reader.fixture.ts';

// A browser on a busy machine is slow, and slow is not wrong.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

requires('chromium')('the management pages in a browser', () => {
  let browser: ReaderBrowser;
  let site: ReaderFixture;
  let owner: BrowserContext;

  beforeAll(async () => {
    browser = await openReaderBrowser(chromiumPath ?? '');
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    site = await browser.open();
    owner = await site.context('ann');
  });
  afterEach(async () => {
    const { pageErrors, foreignRequests } = site;
    await site[Symbol.asyncDispose]();
    expect(pageErrors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  const row = (page: Page, name: string) => page.locator('.source', { hasText: name });

  function extraFeed(id = 'extra') {
    const feed = site.simulator.feeds.create({ id, title: 'Extra Edition' });
    for (const n of [1, 2, 3]) feed.publish({ title: `Extra story ${n}`, text: ['Words.'] });
    return feed;
  }

  it('R2 R5 a source is found, previewed, filed, assigned, followed and read at once', async () => {
    const feed = extraFeed();
    const page = await site.visit(owner, '/sources');
    await page.getByLabel('Address', { exact: true }).fill(feed.url);
    await page.getByRole('button', { name: 'Find feed' }).click();
    await page.locator('.found-items', { hasText: 'Extra story 1' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Late Edition');
    await page.locator('#f-add-0-folder').fill('News/Late');
    await page.getByLabel('Daily Sheet').check();
    expect(await page.getByRole('checkbox', { name: /Follow it/ }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('“Late Edition” was added and is being read now.').waitFor();
    await page.getByRole('heading', { name: 'News / Late' }).waitFor();
    const added = row(page, 'Late Edition');
    await added.getByText('Used by: daily').waitFor();
    await added.getByText('Added by: the page').waitFor();
    await expect
      .poll(async () => {
        await page.reload();
        await added.waitFor();
        return added.locator('.health').textContent();
      })
      .toBe('OK');
    await page.goto(`${site.url}/home`);
    await page.locator('.entry', { hasText: 'Extra story 3' }).waitFor();
    const again = await site.visit(owner, '/sources');
    await again.getByLabel('Address', { exact: true }).fill(feed.url);
    await again.getByRole('button', { name: 'Find feed' }).click();
    await again.getByText('This source exists already: “late-edition”.').waitFor();
  });

  it('R2 pausing and resuming show at once what happened, and stay', async () => {
    const page = await site.visit(owner, '/sources');
    const harbour = row(page, 'Harbour Gazette');
    await harbour.getByRole('button', { name: /^Pause/ }).click();
    await harbour.getByText('“Harbour Gazette” is paused.').waitFor();
    await harbour.locator('.health', { hasText: 'Paused' }).waitFor();
    expect(await harbour.getByRole('button', { name: /^Read now/ }).count()).toBe(0);
    await page.reload();
    await harbour.locator('.health', { hasText: 'Paused' }).waitFor();
    await harbour.getByRole('button', { name: /^Resume/ }).click();
    await harbour.getByText('“Harbour Gazette” is active again.').waitFor();
    await harbour.getByRole('button', { name: /^Read now/ }).click();
    await harbour.getByText('“Harbour Gazette” is being read.').waitFor();
    await expect.poll(() => harbour.locator('.health').textContent()).toBe('OK');
  });

  it('R3 a source of the file says so, can be renamed and filed, and is not removed here', async () => {
    const page = await site.visit(owner, '/sources?id=harbour');
    await page.getByText('kawaraban.yaml', { exact: true }).first().waitFor();
    await page.getByText(/To remove it, delete it there/).waitFor();
    expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(0);
    await page.getByLabel('Name', { exact: true }).fill('The Harbour');
    await page.getByLabel('Folder', { exact: true }).fill('Sea');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. The change is in force.').waitFor();
    await page.goto(`${site.url}/sources`);
    await page.getByRole('heading', { name: 'Sea' }).waitFor();
    await row(page, 'The Harbour').waitFor();
    await page.locator('.sidebar').getByText('The Harbour').waitFor();
  });

  it('R2 a source that was added is removed after a confirmation', async () => {
    const feed = extraFeed();
    const page = await site.visit(owner, '/sources');
    await page.getByLabel('Address', { exact: true }).fill(feed.url);
    await page.getByRole('button', { name: 'Find feed' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await row(page, 'Extra Edition').waitFor();
    page.once('dialog', (dialog) => void dialog.dismiss());
    await row(page, 'Extra Edition')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await row(page, 'Extra Edition').waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await row(page, 'Extra Edition')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await page.getByText('“Extra Edition” was removed.').waitFor();
    await expect.poll(() => row(page, 'Extra Edition').count()).toBe(0);
  });

  it('R2 R21 an OPML file is previewed, imported into a folder, and all sources are exported', async () => {
    const [one, two] = [extraFeed('one'), extraFeed('two')];
    const opml = `<opml version="2.0"><body><outline text="Old reader">
      <outline type="rss" text="One" xmlUrl="${one.url}"/><outline type="rss" text="Two" xmlUrl="${two.url}"/>
    </outline></body></opml>`;
    const page = await site.visit(owner, '/sources');
    const file = { name: 'feeds.opml', mimeType: 'text/x-opml', buffer: Buffer.from(opml) };
    await page.getByLabel('Choose an OPML file').setInputFiles(file);
    await page.getByText('2 sources will be added.').waitFor();
    expect(await page.locator('.source').count()).toBe(5);
    await page.getByLabel('Put them into the folder').fill('Moved');
    await page.getByRole('button', { name: 'Import 2 sources' }).click();
    await page.getByText('2 sources were added and will be read shortly.').waitFor();
    await page.getByRole('heading', { name: 'Moved / Old reader' }).waitFor();
    await page.getByLabel('Choose an OPML file').setInputFiles(file);
    await page.getByText('The file has no new feeds.').waitFor();
    await page.getByLabel('Choose an OPML file').setInputFiles({ ...file, buffer: Buffer.from('<html>') });
    await page.getByText('This file is not OPML.').waitFor();
    const downloads: string[] = [];
    for (const name of ['OPML, for any reader', 'YAML, for kawaraban.yaml']) {
      await page.locator('summary', { hasText: 'Export' }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name }).click();
      downloads.push(await readFile(await (await download).path(), 'utf8'));
    }
    expect(downloads[0]).toContain(two.url);
    const { sources } = parse(downloads[1] ?? '') as { sources: Record<string, { feed: string }> };
    expect(Object.values(sources).map(({ feed }) => feed)).toEqual(
      expect.arrayContaining([one.url, two.url]),
    );
    expect(Object.keys(sources)).toHaveLength(7);
  });

  it('R2 readers see and follow sources, and cannot change them', async () => {
    const page = await site.visit(await site.context('ben'), '/sources');
    const harbour = row(page, 'Harbour Gazette');
    await harbour.getByRole('button', { name: /^Follow(?!ing)/ }).click();
    await harbour.getByRole('button', { name: /^Following/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Pause/ }).count()).toBe(0);
    expect(await page.getByLabel('Address', { exact: true }).count()).toBe(0);
    await page.goto(`${site.url}/sources?id=harbour`);
    await page.locator('.facts').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  });

  it('R23 schedule and minimum score are changed on the page, in force, and reset', async () => {
    const page = await site.visit(owner, '/settings');
    const summary = page.locator('summary', { hasText: 'Daily Sheet' });
    const save = page
      .locator('.setting-more', { has: summary })
      .getByRole('button', { name: 'Save', exact: true });
    await summary.click();
    await page.getByLabel('Every').fill('90');
    await page.getByLabel('Unit').selectOption('minutes');
    await page.getByLabel('Minimum score').fill('85');
    await save.click();
    await page.getByText('Saved. The settings are in force.').waitFor();
    await summary.getByText('every 1 h 30 min · Minimum score 85').waitFor();
    expect(await site.app.pipelineSettings.effective('daily')).toMatchObject({ minScore: 85 });
    await page.getByLabel('By a cron expression').check();
    await page.getByLabel('Cron expression', { exact: true }).fill('every morning');
    await save.click();
    await page.getByText(/^Enter a cron expression/).waitFor();
    await page.getByLabel('Cron expression', { exact: true }).fill('30 7 * * 1-5');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await save.click();
    await summary.getByText('30 7 * * 1-5 (Europe/Berlin)').waitFor();
    await page.getByRole('button', { name: 'Reset to kawaraban.yaml' }).click();
    await page.getByText('The settings of kawaraban.yaml are in force again.').waitFor();
    expect((await site.app.pipelineSettings.report('daily')).changed).toBeNull();
    await page.goto(`${site.url}/pipelines`);
    await page.getByRole('button', { name: /^Pause\s*: Daily Sheet/ }).click();
    await page.locator('.state', { hasText: 'Paused' }).waitFor();
    await page.getByText(/^Paused: no scheduled runs/).waitFor();
    await page.getByRole('button', { name: /^Resume\s*: Daily Sheet/ }).click();
    await page.locator('.state', { hasText: 'Idle' }).waitFor();
  });

  /** Articles in which knots and cords accompany an interest that the judge does not know. */
  async function publishMizuhiki(): Promise<void> {
    for (const title of [
      'Mizuhiki knots for a wedding envelope',
      'Mizuhiki cords and a workshop in Iida',
      'Young makers bring mizuhiki knots to jewellery',
      'Iida sells mizuhiki cords abroad',
      'How mizuhiki cords are dyed',
      'Mizuhiki knots decorate the station',
      'An album of mizuhiki knots',
      'Learning mizuhiki knots at school',
      'Potters open their kilns',
      'A loom for the living room',
      'Carving spoons in winter',
      'Glass blowers meet by the lake',
      'Baskets of willow and rush',
      'The last bookbinder of the street',
      'Felt hats return to the market',
      'Spinning wheels from the attic',
      'Lacquer needs patience',
      'A kiln that runs on sunlight',
      'Quilts for a cold spring',
      'The smith who mends bells',
      'Paper made of mulberry bark',
      'Umbrellas for a rainy town',
      'Combs of boxwood',
      'A school for stone masons',
    ])
      site.feeds.harbour.publish({ title });
    await site.app.pipelines.get('daily')?.run(new AbortController().signal, undefined, { fresh: true });
  }

  it('Q18 Q25 a proposed alias is accepted on the page, and the judge accepts articles by it', async () => {
    await publishMizuhiki();
    const daily = site.app.pipelines.get('daily');
    const stateOf = async (title: string): Promise<string | undefined> => {
      await daily?.run(new AbortController().signal, undefined, { fresh: true });
      const { items } = (await daily?.ledger.list({ text: title, limit: 1 })) ?? { items: [] };
      return items[0]?.state;
    };
    const address = site.feeds.harbour.publish({ title: 'Fishermen tie knots' });
    site.texts.set(address, 'The fishermen tie knots all day. Some knots hold a ship.');
    expect(await stateOf('Fishermen tie knots')).toBe('rejected');

    const page = await site.visit(owner, '/pipelines');
    await page.locator('summary', { hasText: 'Interests' }).click();
    const interest = page.locator('.interest[data-topic=mizuhiki]');
    const proposal = (word: string) => interest.locator('.proposals > li', { hasText: word });
    const alias = (word: string) => interest.locator('.aliases > li', { hasText: word });
    await alias('水引').getByText('in kawaraban.yaml').waitFor();
    expect(await alias('水引').getByRole('button').count()).toBe(0);
    await proposal('knots').getByRole('button', { name: 'Add: knots' }).click();
    await interest.getByText('“knots” is an alias of mizuhiki from the next run on.').waitFor();
    await alias('knots').waitFor();
    expect(await proposal('knots').count()).toBe(0);
    expect(await stateOf('Fishermen tie knots')).toBe('accepted');

    await interest.getByRole('button', { name: 'Undo' }).click();
    await interest.getByText('“knots” is no longer an alias of mizuhiki.').waitFor();
    await proposal('knots').getByRole('button', { name: 'Add: knots' }).click();
    await alias('knots').getByRole('button', { name: 'Remove: knots' }).click();
    await proposal('knots').waitFor();

    await proposal('cords').getByRole('button', { name: 'Refuse: cords' }).click();
    await interest.getByText('Refused proposals: 1').waitFor();
    expect(await proposal('cords').filter({ hasText: 'with it' }).count()).toBe(0);
    await interest.getByLabel('Another alias').fill('databases');
    await interest.getByRole('button', { name: 'Add', exact: true }).click();
    await interest.getByText('“databases” is in kawaraban.yaml. Change it there.').waitFor();
    await interest.getByLabel('Another alias').fill('飾り結び');
    await interest.getByRole('button', { name: 'Add', exact: true }).click();
    await alias('飾り結び').waitFor();

    await page.reload();
    await page.locator('summary', { hasText: 'Interests' }).click();
    await alias('飾り結び').getByRole('button', { name: 'Remove: 飾り結び' }).waitFor();
    await proposal('knots').waitFor();
    expect(await proposal('cords').filter({ hasText: 'with it' }).count()).toBe(0);
    await interest.locator('summary', { hasText: 'Refused proposals: 1' }).click();
    await interest.getByRole('button', { name: 'Propose again: cords' }).click();
    await proposal('cords').filter({ hasText: 'with it' }).waitFor();
    expect(await site.app.interests.report('daily')).toMatchObject([
      { topic: 'databases' },
      { topic: 'mizuhiki', aliases: ['水引', '飾り結び'], added: [{ by: 'ann' }], refused: [] },
    ]);

    const reader = await site.visit(await site.context('ben'), '/pipelines');
    await reader.locator('.pipeline').waitFor();
    expect(await reader.locator('summary', { hasText: 'Interests' }).count()).toBe(0);
  });

  it('R15 R23 the retention of the reader is changed on the page, stays, and is reset', async () => {
    const page = await site.visit(owner, '/settings');
    const entries = page.getByRole('group', { name: 'Entries of the reader' });
    const texts = page.getByRole('group', { name: 'Texts of articles' });
    const retention = page.locator('.setting-group', { has: entries });
    const save = retention.getByRole('button', { name: 'Save', exact: true });
    await retention.getByText('As in kawaraban.yaml.').waitFor();
    await entries.getByLabel('Days').fill('45');
    await texts.getByLabel('Keep for ever').check();
    await retention.getByLabel('Newest entries kept of each source').fill('7');
    await save.click();
    await retention.getByText('Saved. The settings are in force.').waitFor();
    await retention.getByText(/^Changed by ann, /).waitFor();
    const day = 24 * 60 * 60_000;
    const chosen = { entriesMs: 45 * day, textsMs: null, keepPerSource: 7 };
    expect(await site.app.entryRetention.effective()).toEqual(chosen);
    await page.reload();
    await expect.poll(() => entries.getByLabel('Days').inputValue()).toBe('45');
    expect(await texts.getByLabel('Keep for ever').isChecked()).toBe(true);
    await entries.getByLabel('Days').fill('99999');
    await save.click();
    await entries.getByText('Enter 1 to 36500 days, or keep for ever.').waitFor();
    await retention.getByText('Published articles').waitFor();
    await retention.getByRole('button', { name: 'Reset to kawaraban.yaml' }).click();
    await retention.getByText('The settings of kawaraban.yaml are in force again.').waitFor();
    await expect.poll(() => entries.getByLabel('Days').inputValue()).toBe('90');
    expect((await site.app.entryRetention.report()).changed).toBeNull();
    const japanese = await site.visit(await site.context('ann', { locale: 'ja-JP' }), '/settings');
    await japanese.getByRole('group', { name: 'リーダーの記事' }).getByLabel('日数').waitFor();
    const reader = await site.visit(await site.context('ben'), '/settings');
    await reader.getByRole('heading', { name: 'Appearance' }).waitFor();
    expect(await reader.getByRole('group', { name: 'Entries of the reader' }).count()).toBe(0);
  });

  it('R19 why an article was rejected is shown in Japanese, without the words of the program', async () => {
    const daily = site.app.pipelines.get('daily') ?? expect.fail('no pipeline');
    const key = 'https://harbour.example/story' as ItemKey;
    const source = { sourceId: 'harbour', sourceName: 'Harbour Gazette' };
    await daily.ledger.admit(
      [{ key, url: key, title: 'Harbour story', publishedAt: Date.now(), ...source }],
      {},
    );
    await daily.run(new AbortController().signal);
    const page = await site.visit(await site.context('ann', { locale: 'ja-JP' }), '/items?pipeline=daily');
    const item = page.locator('.row', { hasText: 'Harbour story' });
    await item.getByText('本文は購読者だけに公開されています。').waitFor();
    expect(await item.innerText()).not.toMatch(/paywall|subscribers/);
    await item.getByRole('link').first().click();
    await page.locator('.item-standing', { hasText: '本文は購読者だけに' }).waitFor();
    await page.locator('.history-detail', { hasText: '本文は購読者だけに' }).waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/paywall|subscribers/);
  });

  it('an interval just below two hours is not shown as "1 h 60 min"', async () => {
    const schedule = { kind: 'every', ms: 2 * 3_600_000 - 10_000 } as const;
    await site.app.pipelineSettings.change('daily', { schedule }, 'ann');
    const page = await site.visit(owner, '/pipelines');
    await page.locator('.pipeline-head', { hasText: 'every 2 h ·' }).waitFor();
    const other = await site.visit(await site.context('ann', { locale: 'ja-JP' }), '/pipelines');
    await other.locator('.pipeline-head', { hasText: '2時間ごと' }).waitFor();
  });

  it('language, theme, density and pictures are set on the page and kept on the device', async () => {
    const page = await site.visit(owner, '/settings');
    await page.getByLabel('Theme', { exact: true }).selectOption('dark');
    await page.getByLabel('Density of lists').selectOption('compact');
    await page.getByLabel('Show pictures in lists').uncheck();
    await page.getByLabel('Language', { exact: true }).selectOption('ja');
    await page.getByRole('heading', { name: '設定', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: '設定', exact: true }).waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await page.getByLabel('一覧の密度').inputValue()).toBe('compact');
    expect(await page.getByLabel('一覧に画像を表示する').isChecked()).toBe(false);
  });

  it('an access token is created, shown once, works, and is revoked', async () => {
    const page = await site.visit(owner, '/me');
    await page.locator('summary', { hasText: 'Create access token' }).click();
    await page.getByLabel('What it is for').fill('my script');
    await page.getByRole('button', { name: 'Create access token' }).click();
    const token = await page.locator('.one-time code').innerText();
    const call = async () =>
      (await fetch(`${site.url}/api/v1/tokens`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await call()).toBe(200);
    await page.reload();
    expect(await page.locator('.one-time').count()).toBe(0);
    await page.getByRole('button', { name: /^Revoke\s*: my script/ }).click();
    await page.getByText('There are no access tokens.').waitFor();
    expect(await call()).toBe(401);
  });

  it('the owner invites and removes members, and a reader does not', async () => {
    const page = await site.visit(owner, '/people');
    await page.getByRole('button', { name: 'Invite a reader' }).click();
    const link = await page.locator('.one-time code').innerText();
    const guest = await site.context('guest');
    const joined = await site.visit(guest, link.replace(site.url, ''));
    await joined.getByLabel('Name').fill('ran');
    await joined.getByLabel('Password').fill('ink, paper and a good brush');
    await joined.getByRole('button', { name: 'Create account' }).click();
    await joined.waitForURL('**/home');
    await joined.goto(`${site.url}/people`);
    await joined.locator('.line', { hasText: 'ann' }).waitFor();
    expect(await joined.getByRole('button', { name: /Invite|End access/ }).count()).toBe(0);
    await page.reload();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: /^End access\s*: ran/ }).click();
    await expect.poll(() => page.getByRole('button', { name: /^End access\s*: ran/ }).count()).toBe(0);
    await joined.goto(`${site.url}/me`);
    await joined.getByText('You are not signed in.').waitFor();
  });

  it('an invitation and a reset link work in a browser in which another account is signed in', async () => {
    const invite = await site.app.auth.accounts.invite();
    const page = await site.visit(owner, `/welcome#${invite.token}`);
    await page.getByText('You are signed in as ann.').waitFor();
    await page.getByLabel('Name').fill('ume');
    await page.getByLabel('Password').fill('ink, paper and a good brush');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/home');
    await page.getByRole('link', { name: 'ume' }).waitFor();
    const reset = await site.app.auth.accounts.resetLink('ben');
    await page.evaluate(`location.href = '/welcome#${reset?.link.token}'`);
    await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
    await page.getByLabel('Password', { exact: true }).fill('another brush and more ink');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.waitForURL('**/home');
    await page.getByRole('link', { name: 'ben' }).waitFor();
    // The session that the cookie named before has ended.
    expect(await site.app.auth.signIn.sessions((await userId('ume')) ?? '')).toEqual([]);
  });

  const userId = async (name: string): Promise<string | undefined> =>
    (await site.app.social.findUser(name))?.id;

  it('R22 own posts are edited and deleted, and their addresses are links', async () => {
    const page = await site.visit(owner, '/home');
    await page.getByPlaceholder('Write a post').fill('Read https://example.com/a, it is godo.');
    await page.getByRole('button', { name: 'Post', exact: true }).click();
    const post = page.locator('.drop', { hasText: 'Read https' });
    await post.waitFor();
    expect(await post.getByRole('link', { name: 'https://example.com/a' }).getAttribute('href')).toBe(
      'https://example.com/a',
    );
    await post.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Text of the post').fill('Read https://example.com/a, it is good.');
    await page.getByRole('button', { name: 'Save' }).click();
    await post.getByText('it is good.').waitFor();
    await post.getByText('edited').waitFor();
    const other = await site.visit(await site.context('ben'), '/');
    const theirs = other.locator('.drop', { hasText: 'it is good.' });
    await theirs.getByText('edited').waitFor();
    expect(await theirs.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    page.once('dialog', (dialog) => void dialog.accept());
    await post.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => post.count()).toBe(0);
    await expect.poll(() => theirs.count()).toBe(0);
  });

  it('R19 problems of the server are shown in the reader’s language', async () => {
    const guest = await site.context('guest', { locale: 'ja-JP' });
    const page = await site.visit(guest, '/sign-in');
    await page.getByLabel('名前').fill('ann');
    await page.getByLabel('パスワード').fill('something else entirely');
    await page.getByRole('button', { name: 'サインイン' }).click();
    await page.getByText('名前またはパスワードが違います。').waitFor();
    const sources = await site.visit(await site.context('ann', { locale: 'ja-JP' }), '/sources');
    await sources
      .getByLabel('アドレス', { exact: true })
      .fill(`${site.simulator.urls.feeds}/no/such/feed.xml`);
    await sources.getByRole('button', { name: 'フィードを探す' }).click();
    await sources.getByText('フィードが見つかりません: このアドレスにフィードはありません。').waitFor();
    await sources.getByLabel('アドレス', { exact: true }).fill('not an address');
    await sources.getByRole('button', { name: 'フィードを探す' }).click();
    await sources.locator('.form-problem').waitFor();
    expect(await sources.locator('.form-problem').innerText()).toMatch(/\p{sc=Hiragana}/u);
  });

  it.each([
    ['light', 1280, 'en-GB'],
    ['dark', 390, 'ja-JP'],
  ] as const)(
    'X13 the management pages have no violation that axe can find, in %s at %i pixels in %s',
    async (colorScheme, width, locale) => {
      await publishMizuhiki();
      const words = ['knots', '飾り結び'];
      await site.app.interests.decide('daily', { topic: 'mizuhiki', words, decision: 'accepted' }, 'ann');
      const refused = { topic: 'mizuhiki', words: ['station'], decision: 'refused' } as const;
      await site.app.interests.decide('daily', refused, 'ann');
      const context = await site.context('ann', {
        colorScheme,
        locale,
        viewport: { width, height: 900 },
        bypassCSP: true,
        reducedMotion: 'reduce',
      });
      const page = await site.visit(context, '/sources');
      for (const [path, ready] of [
        ['/sources', '.source'],
        ['/sources?id=harbour', '.facts'],
        ['/settings', '.setting-more'],
        ['/me', '.line'],
        ['/people', '.line'],
        ['/pipelines', '.pipeline'],
        ['/attention', '.notice, .line'],
      ] as const) {
        await page.goto(site.url + path);
        await page.locator(`main :is(${ready})`).first().waitFor();
        for (const summary of await page.locator('main .setting-more > summary').all()) await summary.click();
        if (path === '/pipelines') await page.locator('.interest > .proposals').waitFor();
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate<axe.AxeResults>(
          "axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })",
        );
        const found = violations.map((one) => `${one.id}: ${one.nodes[0]?.html}`);
        expect(found, path).toEqual([]);
        const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect(wider, `${path} is wider than the screen`).toBeLessThanOrEqual(0);
      }
    },
  );
});
