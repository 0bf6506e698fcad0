"use strict";

const $ = id => document.getElementById(id);

// Many browsers do not decode H.265.
const PLAYS_H265 = document.createElement("video").canPlayType('video/mp4; codecs="hvc1.1.6.L93.B0"') !== "";
const NO_H265 = "This browser cannot play H.265: download the file, or set the camera to H.264.";

// Replaces control characters and characters that change the direction of text, so that labels and names cannot hide or
// reorder other text. It also replaces the private-use characters that stand for invalid bytes of file names.
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
