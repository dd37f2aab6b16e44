import { render } from 'preact';
import { App } from './app.tsx';
import { listenToKeys } from './keyboard.ts';
import './styles/paper.css';
import './styles/sheet.css';
import './styles/news.css';
import './styles/control.css';
import './styles/forms.css';
import './styles/stories.css';

const root = document.getElementById('sheet');
if (root) {
  listenToKeys();
  // What stands there until the script has come.
  root.replaceChildren();
  render(<App />, root);
}
