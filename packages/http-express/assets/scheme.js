// Before anything is drawn: the colours that the reader chose in this browser.
const chosen = localStorage.getItem('scheme')
if (chosen) document.documentElement.dataset.scheme = chosen
