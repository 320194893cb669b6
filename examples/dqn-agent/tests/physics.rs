//! The cart-pole beside mechanics that was derived another way.

use burn::data::dataset::random::Generator;
use dqn_agent::cart_pole::{
    CART_MASS, CartPole, FORCE, GRAVITY, HALF_LENGTH, LARGEST_ANGLE, LONGEST_EPISODE, POLE_MASS, State,
    TIME_STEP, TRACK, accelerations, euler,
};

/// Accelerations by the Lagrangian of a cart and a uniform pole, whose moment of inertia about its foot is
/// `4/3 m l^2`:
///
/// ```text
/// (M + m) x''   + m l cos a  a'' = F + m l w^2 sin a
/// m l cos a x'' + 4/3 m l^2  a'' = m g l sin a
/// ```
///
/// solved by Cramer's rule.
fn by_lagrange(state: State, force: f64) -> (f64, f64) {
    let (sin, cos) = state.angle.sin_cos();
    let moment = POLE_MASS * HALF_LENGTH;
    let (a, b, d) = (CART_MASS + POLE_MASS, moment * cos, 4.0 / 3.0 * moment * HALF_LENGTH);
    let right = (force + moment * state.angular_velocity.powi(2) * sin, moment * GRAVITY * sin);
    let determinant = a * d - b * b;
    ((right.0 * d - b * right.1) / determinant, (a * right.1 - b * right.0) / determinant)
}

/// Kinetic and potential energy.
fn energy(state: State) -> f64 {
    let moment = POLE_MASS * HALF_LENGTH;
    let cart = 0.5 * (CART_MASS + POLE_MASS) * state.velocity.powi(2);
    let both = moment * state.velocity * state.angular_velocity * state.angle.cos();
    let pole = 0.5 * (4.0 / 3.0) * moment * HALF_LENGTH * state.angular_velocity.powi(2);
    cart + both + pole + moment * GRAVITY * state.angle.cos()
}

/// A step of the classical method of Runge and Kutta.
fn runge_kutta(state: State, force: f64, time_step: f64) -> State {
    let slope = |state: State| {
        let (acceleration, angular) = accelerations(state, force);
        [state.velocity, acceleration, state.angular_velocity, angular]
    };
    let moved = |by: f64, slope: [f64; 4]| State {
        position: state.position + by * slope[0],
        velocity: state.velocity + by * slope[1],
        angle: state.angle + by * slope[2],
        angular_velocity: state.angular_velocity + by * slope[3],
    };
    let first = slope(state);
    let second = slope(moved(time_step / 2.0, first));
    let third = slope(moved(time_step / 2.0, second));
    let fourth = slope(moved(time_step, third));
    let mean = std::array::from_fn(|i| (first[i] + 2.0 * second[i] + 2.0 * third[i] + fourth[i]) / 6.0);
    moved(time_step, mean)
}

fn at(angle: f64) -> State {
    State { position: 0.0, velocity: 0.0, angle, angular_velocity: 0.0 }
}

#[test]
fn accelerations_solve_the_equations_of_lagrange() {
    let mut generator = Generator::new(7);
    for _ in 0..1000 {
        let mut draw = |size: f64| generator.uniform(-size, size);
        let state =
            State { position: draw(2.4), velocity: draw(3.0), angle: draw(3.0), angular_velocity: draw(5.0) };
        let force = draw(20.0);
        let (got, expected) = (accelerations(state, force), by_lagrange(state, force));
        assert!((got.0 - expected.0).abs() < 1e-10, "{state:?} {got:?} {expected:?}");
        assert!((got.1 - expected.1).abs() < 1e-10, "{state:?} {got:?} {expected:?}");
    }
}

#[test]
fn energy_stays_when_nobody_pushes() {
    let mut state = State { velocity: 0.3, angular_velocity: -0.5, ..at(1.0) };
    let begin = energy(state);
    for _ in 0..5_000 {
        state = runge_kutta(state, 0.0, 1e-3);
        assert!((energy(state) - begin).abs() < 1e-8, "{state:?}");
    }
}

#[test]
fn a_small_angle_grows_as_a_hyperbolic_cosine() {
    // Linear about 0: a'' = k^2 a.
    let total = CART_MASS + POLE_MASS;
    let rate = (GRAVITY / (HALF_LENGTH * (4.0 / 3.0 - POLE_MASS / total))).sqrt();
    let (begin, time_step, steps) = (1e-6, 1e-5, 100_000);
    let end = (0..steps).fold(at(begin), |state, _| euler(state, 0.0, time_step));
    let expected = begin * (rate * time_step * f64::from(steps)).cosh();
    assert!((end.angle / expected - 1.0).abs() < 1e-3, "{} {expected}", end.angle);
}

#[test]
fn an_episode_is_that_of_the_published_constants() {
    let mut cart_pole = CartPole::start(&mut Generator::new(3));
    let start = cart_pole.state();
    assert!(
        [start.position, start.velocity, start.angle, start.angular_velocity].iter().all(|x| x.abs() <= 0.05)
    );
    let outcome = cart_pole.step(1);
    assert_eq!(outcome.state, euler(start, FORCE, TIME_STEP));
    assert_eq!(cart_pole.step(0).state, euler(outcome.state, -FORCE, TIME_STEP));
    assert!(
        State { position: TRACK + 1e-9, ..at(0.0) }.has_failed() && !at(LARGEST_ANGLE - 1e-9).has_failed()
    );
    assert!(at(-LARGEST_ANGLE - 1e-9).has_failed());
}

#[test]
fn an_episode_ends_by_a_fall_or_at_its_longest() {
    let mut cart_pole = CartPole::start(&mut Generator::new(3));
    // Always to one side: the pole falls.
    let fall = (0..100).map(|_| cart_pole.step(1)).find(|outcome| outcome.terminated).expect("it falls");
    assert!(fall.state.has_failed() && !fall.truncated);
    // A controller by hand keeps it upright until the episode is cut off.
    let mut cart_pole = CartPole::start(&mut Generator::new(3));
    for step in 1..=LONGEST_EPISODE {
        let state = cart_pole.state();
        let lean = state.angle + 0.3 * state.angular_velocity + 0.05 * state.position + 0.1 * state.velocity;
        let outcome = cart_pole.step(usize::from(lean > 0.0));
        assert!(!outcome.terminated, "step {step}");
        assert_eq!(outcome.truncated, step == LONGEST_EPISODE);
    }
}
