"use strict";
// What pages say, as elements.

const $ = id => document.getElementById(id);

// Labels and names may say anything; what turns or hides other text is shown as what it is, an unprintable character. So are bytes of a
// file's name that are no text, which odt keeps in a private plane.
function plain(text) { return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\u{10fe80}-\u{10feff}]/gu, "\ufffd"); }

function make(name, attributes = {}, ...children) { return fill(document.createElement(name), attributes, children); }
function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}
function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) if (value !== null) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
