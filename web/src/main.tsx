import { render } from 'preact';
import { App } from './app.tsx';
import { listenToKeys } from './keyboard.ts';
import { startNotifications } from './notifications.ts';
import { listenToReader } from './reader/live.ts';
import { installServiceWorker } from './service-worker-client.ts';
import { loadWords } from './words/words.ts';
import './styles/paper.css';
import './styles/sheet.css';
import './styles/frame.css';
import './styles/news.css';
import './styles/control.css';
import './styles/forms.css';
import './styles/manage.css';
import './styles/stories.css';
import './styles/reader.css';
import './styles/article.css';

const root = document.getElementById('sheet');
if (root) {
  // Not awaited here: pages import what this script has, and would wait for it.
  void loadWords().then(() => {
    listenToKeys();
    listenToReader();
    startNotifications();
    installServiceWorker();
    // What stands there until the script has come.
    root.replaceChildren();
    render(<App />, root);
  });
}
