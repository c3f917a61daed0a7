; Dateline lanes on a torus without the reset: a packet that turns into a new dimension may bring lane 1 along.
;
; The loop: packet i crosses the dateline of dimension 0, turns into dimension 1 in lane 1 and goes two hops around a ring of
; four there; in lane 1 already, it does not notice that ring's dateline.
; pi_j is the j-th switch of packet i, vi_j its lane on the link that leaves that switch; hi and gi send and receive.
(set-info :status sat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-fun size (Int) Int)
(declare-fun host (Node) Bool)
(declare-fun at (Node Int) Int)
(define-fun crosses ((s Node) (i Int) (fwd Bool)) Bool (ite fwd (= (+ (at s i) 1) (size i)) (= (at s i) 0)))
(define-fun next ((s Node) (i Int) (fwd Bool)) Int
  (ite fwd (ite (crosses s i fwd) 0 (+ (at s i) 1)) (ite (crosses s i fwd) (- (size i) 1) (- (at s i) 1))))
(define-fun hop ((s Node) (n Node) (i Int) (fwd Bool) (d Node) (o Int)) Bool (and
    (< 2 (size i)) ; a ring has three switches or more: a ring of two is a line, and needs no dateline
    (and (<= 0 (at s i)) (< (at s i) (size i)) (<= 0 (at d i)) (< (at d i) (size i))) ; the coordinates are 0..size-1
    (= (at n i) (next s i fwd)) ; a cable joins neighbours on one ring
    (=> (distinct i o) (= (at n o) (at s o))) ; and changes no other coordinate
    (distinct (at s i) (at d i)) ; only along a dimension that is not done
    (=> (< o i) (= (at s o) (at d o))) ; the lower dimensions are done
  ))
(define-fun same-ring ((x Node) (z Node) (i Int) (j Int)) Bool (and (not (host x)) (not (host z)) (= i j)))
(define-fun turn ((x Node) (y Node) (z Node) (d Node)
    (i Int) (fi Bool) (lane1 Int) (j Int) (fj Bool) (lane2 Int)) Bool (and
    (not (host y)) ; hosts do not forward
    (=> (not (host x)) (hop x y i fi d j))
    (=> (not (host z)) (hop y z j fj d i))
    (=> (same-ring x z i j) (= fi fj)) ; within a dimension a packet keeps its direction
    (=> (and (not (host z)) (crosses y j fj)) (= lane2 1)) ; over the dateline into lane 1
    (=> (and (same-ring x z i j) (not (crosses y j fj))) (= lane2 lane1)) ; elsewhere on the ring the lane stays
  ))
; == The loop
(declare-const p0_0 Node)
(declare-const p0_1 Node)
(declare-const p0_2 Node)
(declare-const p0_3 Node)
(declare-const p1_0 Node)
(declare-const p1_1 Node)
(declare-const p1_2 Node)
(declare-const p1_3 Node)
(declare-const p2_0 Node)
(declare-const p2_1 Node)
(declare-const p2_2 Node)
(declare-const p2_3 Node)
(declare-const p3_0 Node)
(declare-const p3_1 Node)
(declare-const p3_2 Node)
(declare-const p3_3 Node)
(declare-const h0 Node)
(declare-const g0 Node)
(declare-const h1 Node)
(declare-const g1 Node)
(declare-const h2 Node)
(declare-const g2 Node)
(declare-const h3 Node)
(declare-const g3 Node)
(declare-const v0_0 Int)
(declare-const v0_1 Int)
(declare-const v0_2 Int)
(declare-const v1_0 Int)
(declare-const v1_1 Int)
(declare-const v1_2 Int)
(declare-const v2_0 Int)
(declare-const v2_1 Int)
(declare-const v2_2 Int)
(declare-const v3_0 Int)
(declare-const v3_1 Int)
(declare-const v3_2 Int)
(assert (distinct p0_0 p0_1 p1_0 p1_1 p2_0 p2_1 p3_0 p3_1 h0 g0 h1 g1 h2 g2 h3 g3))
(assert (and (= p0_2 p1_1) (= p0_3 p2_1) (= v0_2 v1_1)))
(assert (and (= p1_2 p2_1) (= p1_3 p3_1) (= v1_2 v2_1)))
(assert (and (= p2_2 p3_1) (= p2_3 p0_1) (= v2_2 v3_1)))
(assert (and (= p3_2 p0_1) (= p3_3 p1_1) (= v3_2 v0_1)))
(assert (not (or (host p0_0) (host p0_1) (host p1_0) (host p1_1) (host p2_0) (host p2_1) (host p3_0) (host p3_1))))
(assert (and (host h0) (host g0) (host h1) (host g1) (host h2) (host g2) (host h3) (host g3)))
(assert (and (= (at g0 0) (at p0_3 0)) (= (at g1 0) (at p1_3 0)) (= (at g2 0) (at p2_3 0)) (= (at g3 0) (at p3_3 0))))
(assert (and (= (at g0 1) (at p0_3 1)) (= (at g1 1) (at p1_3 1)) (= (at g2 1) (at p2_3 1)) (= (at g3 1) (at p3_3 1))))
(assert (and (turn h0 p0_0 p0_1 g0 1 true 0 0 true v0_0) (turn p0_0 p0_1 p0_2 g0 0 true v0_0 1 true v0_1)
  (turn p0_1 p0_2 p0_3 g0 1 true v0_1 1 true v0_2) (turn p0_2 p0_3 g0 g0 1 true v0_2 0 true v0_2)))
(assert (and (turn h1 p1_0 p1_1 g1 1 true 0 0 true v1_0) (turn p1_0 p1_1 p1_2 g1 0 true v1_0 1 true v1_1)
  (turn p1_1 p1_2 p1_3 g1 1 true v1_1 1 true v1_2) (turn p1_2 p1_3 g1 g1 1 true v1_2 0 true v1_2)))
(assert (and (turn h2 p2_0 p2_1 g2 1 true 0 0 true v2_0) (turn p2_0 p2_1 p2_2 g2 0 true v2_0 1 true v2_1)
  (turn p2_1 p2_2 p2_3 g2 1 true v2_1 1 true v2_2) (turn p2_2 p2_3 g2 g2 1 true v2_2 0 true v2_2)))
(assert (and (turn h3 p3_0 p3_1 g3 1 true 0 0 true v3_0) (turn p3_0 p3_1 p3_2 g3 0 true v3_0 1 true v3_1)
  (turn p3_1 p3_2 p3_3 g3 1 true v3_1 1 true v3_2) (turn p3_2 p3_3 g3 g3 1 true v3_2 0 true v3_2)))
(check-sat)
